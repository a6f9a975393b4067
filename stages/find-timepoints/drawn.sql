-- Phases are thirds of the eligible moments of an admission by rank. Of every phase and admission one moment is drawn,
-- then at most per_phase of every phase; the order of the draw is a hash of the seed and the moment.
create table drawn as
with ranked as (
  select *,
    row_number() over w as rank_n,
    count(*) over (partition by hadm_id) as ranks_n,
    sha256(concat_ws(chr(31), $seed, 'find-timepoints', timepoint_id)) as lot
  from moments
  where is_eligible
  window w as (partition by hadm_id order by cut_at, starttime, timepoint_id)
),
phased as (
  select *, (['early', 'middle', 'late'])[1 + ((rank_n - 1) * 3) // ranks_n] as phase
  from ranked
),
singled as (
  select *, row_number() over (partition by hadm_id, phase order by lot, timepoint_id) = 1 as is_chosen
  from phased
)
select *,
  is_chosen and ($per_phase is null
    or row_number() over (partition by phase, is_chosen order by lot, timepoint_id) <= $per_phase) as is_drawn
from singled
