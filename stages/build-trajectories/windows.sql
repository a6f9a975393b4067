-- When every admission of the sampled patients was open: what has no hadm_id is given to the admission that holds its
-- time, the one with the later admittime where two overlap (P11, P19). It opens with the visit to the emergency
-- department that led to it. Rows that name an admission may lie a day outside of it, no more (P15).
create table windows as
select
  a.hadm_id, a.subject_id, a.admittime, s.hadm_id is not null as is_sampled,
  least(a.admittime, a.edregtime) as opens_at,
  coalesce(a.dischtime, a.deathtime) as closes_at,
  least(a.admittime, a.edregtime) - interval 1 day as takes_from,
  coalesce(a.dischtime, a.deathtime) + interval 1 day as takes_to
from admissions a
left join sampled_admissions s on s.hadm_id = a.hadm_id
where a.subject_id in (select subject_id from sampled_admissions)
