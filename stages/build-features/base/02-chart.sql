-- Charted rows of the cohort's stays that were charted (and, with availability = storetime, filed) before the window ended.
-- There is no lower bound: weight, GCS and FiO2 look back. Height alone may also come from later in the stay
-- (registry F003, window STAY_ANY): 226730 and 226707.
create table chart as
select e.stay_id, e.charttime, e.itemid, e.value, e.valuenum, e.valueuom, e.storetime
from chartevents e join stay s on s.stay_id = e.stay_id
where (e.charttime < s.window_end or e.itemid in (226730, 226707))
  and coalesce(e.storetime, e.charttime) < s.filed_before;
