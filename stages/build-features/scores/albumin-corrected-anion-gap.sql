-- Anion gap corrected for albumin (F363): highest gap of the window + 2.5 x (4.0 - albumin), albumin in g/dL.
-- Figge 1998 doi:10.1097/00003246-199811000-00019 (factor 2.5); the normal of 4.0 is the registry's.
-- The latest albumin of the window counts (the mean of two drawn at once); without one the gap stays uncorrected. A corrected gap
-- outside the registry's limits does not count.
insert into score_value
with albumin as (
  select stay_id, arg_max(num, charttime) as latest
  from (
    select stay_id, charttime, avg(num order by num) as num
    from lab where itemid = 50862 and in_window and num is not null
    group by stay_id, charttime
  )
  group by stay_id
), corrected as (
  select g.stay_id, g.num + 2.5 * (4.0 - coalesce(a.latest, 4.0)) as gap
  from lab g left join albumin a on a.stay_id = g.stay_id
  where g.itemid = 50868 and g.in_window and g.num is not null
)
select c.stay_id, 'F363', max(c.gap)
from corrected c join score_limit l on l.feature_id = 'F363'
where c.gap between l.low and l.high
group by c.stay_id;
