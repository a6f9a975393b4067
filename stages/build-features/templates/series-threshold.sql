-- Share of charted values below or above a threshold, and whether any was (0 when the stay has charted rows but none of these).
with compared as (
  select
    s.stay_id, r.feature_id,
    cast(count(*) filter (where case r.comparison
      when 'fraction_below' then s.num < r.threshold when 'any_below' then s.num < r.threshold
      when 'fraction_above' then s.num > r.threshold when 'any_at_least' then s.num >= r.threshold end) as double) as hits,
    cast(count(*) as double) as n
  from series s join series_threshold r on r.series = s.series
  group by s.stay_id, r.feature_id
)
select p.stay_id, r.feature_id,
  case
    when r.comparison in ('fraction_below', 'fraction_above') then c.hits / c.n
    when c.hits > 0 then 1.0
    when p.has_chart then 0.0
  end as value
from series_threshold r
cross join presence p
left join compared c on c.stay_id = p.stay_id and c.feature_id = r.feature_id
