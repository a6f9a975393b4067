-- quick SOFA (F356): the hour of the window with most criteria. Singer 2016 doi:10.1001/jama.2016.0287.
-- Each hour after t0 stands for itself: a criterion without a charted value in that hour is not met, nothing is carried over.
-- Values as in F111 and F095: plausible limits of the registry, mean of what was charted at one minute (exact decimal
-- sums, which do not depend on the order of the rows).
insert into score_input
with charted as (
  select c.stay_id, c.charttime, 'respiratory_rate' as item, cast(sum(cast(c.valuenum as decimal(18, 6))) as double) / count(*) as value
  from chart c
  join score_limit l on l.feature_id = 'F111'
  where c.itemid in (220210, 224690) and c.valuenum between l.low and l.high
  group by all
  union all
  select c.stay_id, c.charttime, 'sbp', cast(sum(cast(c.valuenum as decimal(18, 6))) as double) / count(*)
  from chart c
  join score_limit l on l.feature_id = 'F095'
  where c.itemid in (220050, 220179, 225309) and c.valuenum between l.low and l.high
  group by all
  union all
  select stay_id, charttime, 'gcs', total from gcs where total is not null
)
select
  c.stay_id, 'qsofa', cast(floor(epoch(c.charttime - s.t0) / 3600) as integer), c.item,
  case when c.item = 'respiratory_rate' then max(c.value) else min(c.value) end,
  null
from charted c
join stay s on s.stay_id = c.stay_id
where c.charttime >= s.chart_from and c.charttime < s.window_end
group by c.stay_id, floor(epoch(c.charttime - s.t0) / 3600), c.item;
