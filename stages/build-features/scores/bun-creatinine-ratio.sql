-- Urea nitrogen to creatinine (F362): the highest ratio of one specimen of the window, both in mg/dL. A ratio outside
-- the registry's limits does not count.
insert into score_value
with specimen as (
  select
    stay_id, specimen_id,
    max(num) filter (where itemid = 51006) as bun,
    max(num) filter (where itemid = 50912) as creatinine
  from lab where itemid in (51006, 50912) and in_window
  group by stay_id, specimen_id
)
select s.stay_id, 'F362', max(s.bun / s.creatinine)
from specimen s join score_limit l on l.feature_id = 'F362'
where s.creatinine > 0 and s.bun / s.creatinine between l.low and l.high
group by s.stay_id;
