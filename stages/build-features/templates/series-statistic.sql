-- first, last, min, max, mean, std, count and any of a series of numbers (charted or laboratory) in the window.
-- first and last: at one time the itemid that stands first in the registry row wins. std needs two values.
-- any: some value above 0; any and count are 0 when the stay has rows of the table.
with statistics as (
  select
    stay_id, series,
    arg_min(num, epoch_us(charttime) * 64 + rank) as first,
    arg_max(num, epoch_us(charttime) * 64 + 63 - rank) as last,
    min(low) as min, max(high) as max,
    exact_mean(num) as mean,
    exact_std(num) as std,
    cast(sum(n) as double) as count,
    case when max(high) > 0 then 1.0 else 0.0 end as any
  from series
  group by stay_id, series
)
select p.stay_id, r.feature_id,
  case r.statistic
    when 'first' then t.first when 'last' then t.last when 'min' then t.min when 'max' then t.max
    when 'mean' then t.mean when 'std' then t.std
    when 'count' then coalesce(t.count, case when p.has_chart then 0.0 end)
    when 'any' then coalesce(t.any, case when p.has_lab then 0.0 end)
  end as value
from series_statistic r
cross join presence p
left join statistics t on t.stay_id = p.stay_id and t.series = r.series
where t.stay_id is not null or r.statistic in ('count', 'any')
