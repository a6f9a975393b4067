-- The moments with their evidence cut: the earliest start or order time of their orders. A moment is eligible when a new
-- decision is left, a measurement, a culture or an image could be known before the cut, and the admission has a profile.
create table moments as
with evidence as (
  select hadm_id, min(available_at) as first_at
  from events
  where is_shown and kind in ('lab', 'vital', 'culture', 'radiology')
  group by hadm_id
),
grouped as (
  select
    hadm_id, moment_at, min(subject_id) as subject_id, min(split) as split,
    min(starttime) as starttime, min(decided_at) as cut_at,
    count(*) as orders_n, count(*) filter (lost_at is null) as new_n
  from judged
  group by hadm_id, moment_at
)
select
  'T' || substr(sha256(concat_ws(chr(31), 'timepoint', g.hadm_id, g.moment_at)), 1, 12) as timepoint_id,
  g.*,
  p.hadm_id is not null as has_profile,
  coalesce(e.first_at < g.cut_at, false) as has_evidence,
  g.new_n > 0 and p.hadm_id is not null and coalesce(e.first_at < g.cut_at, false) as is_eligible
from grouped g
left join profiled_admissions p on p.hadm_id = g.hadm_id
left join evidence e on e.hadm_id = g.hadm_id
