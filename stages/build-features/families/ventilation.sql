-- F418 invasive ventilation: procedure 225792 overlaps the window, or a ventilator mode or endotracheal tube is charted in it.
-- F419 hours of 225792 in the window (union of its intervals). F420 non-invasive: 225794 overlaps, or a Bipap or CPAP mask is charted.
with charted as (
  select v.stay_id, v.kind, v.itemid
  from vent_charting v join stay s on s.stay_id = v.stay_id
  where v.charttime >= s.t0 and v.charttime < s.window_end
), invasive as (
  select stay_id from charted where kind = 'invasive'
  union
  select stay_id from procedure_row where itemid = 225792 and why_not is null
), mask as (
  select stay_id from charted where kind = 'niv' and itemid = 226732
  union
  select stay_id from procedure_row where itemid = 225794 and why_not is null
), reached as (
  select stay_id, clipped_start, clipped_end,
    max(clipped_end) over (
      partition by stay_id order by clipped_start, clipped_end rows between unbounded preceding and 1 preceding) as covered_to
  from procedure_row where itemid = 225792 and why_not is null
)
select p.stay_id, 'F418' as feature_id,
  case when i.stay_id is not null then 1.0 when p.has_procedure or p.has_chart then 0.0 end as value
from presence p left join invasive i on i.stay_id = p.stay_id
union all
select stay_id, 'F419',
  -- Pieces of one full day may add up to 24 h and a last binary digit, which would be past the limit.
  least(24.0, sum(greatest(epoch(clipped_end - greatest(clipped_start, coalesce(covered_to, clipped_start))), 0) / 3600 order by clipped_start, clipped_end))
from reached group by stay_id
union all
select p.stay_id, 'F420', case when m.stay_id is not null then 1.0 when p.has_procedure or p.has_chart then 0.0 end
from presence p left join mask m on m.stay_id = p.stay_id
