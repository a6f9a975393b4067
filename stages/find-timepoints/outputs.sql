create table timepoints as
select
  d.timepoint_id, d.subject_id, d.hadm_id, d.starttime, d.cut_at, d.phase,
  d.rank_n::integer as rank_n, d.ranks_n::integer as ranks_n,
  count(e.event_id)::integer as events_n,
  d.split
from drawn d
left join events e on e.hadm_id = d.hadm_id and e.is_shown and e.available_at < d.cut_at
where d.is_drawn
group by all
