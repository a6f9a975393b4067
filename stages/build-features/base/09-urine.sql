-- Urine output rows before the window ended, in mL: 227488 (irrigant in) is negative; rows that repeat stay, charttime,
-- itemid and value count once; a single row above 5000 mL is a typing error. The oracle profile keeps duplicates and large rows.
create view urine_row as
select
  o.stay_id, o.charttime, o.itemid, o.value, o.valueuom,
  case when o.itemid = 227488 then -o.value else o.value end as ml,
  o.charttime >= s.t0 as in_window,
  case
    when o.value is null then 'no value'
    when not coalesce(o.storetime, o.charttime) < s.filed_before then 'filed after the window'
    when not is_oracle and row_number() over (
      partition by o.stay_id, o.charttime, o.itemid, o.value order by o.storetime, o.valueuom) > 1 then 'duplicate'
    when not is_oracle and abs(o.value) > 5000 then 'implausible'
  end as why_not
from outputevents o join stay s on s.stay_id = o.stay_id cross join setting
where o.charttime < s.window_end
  and o.itemid in (226559, 226560, 226561, 226584, 226563, 226564, 226565, 226567, 226557, 226558, 227488, 227489);

create table urine as
select stay_id, charttime, ml + 0.0 as ml, itemid, in_window from urine_row where why_not is null;
