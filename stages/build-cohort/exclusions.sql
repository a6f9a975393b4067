-- One row per ICU stay with the first reason that takes it out, or null.
-- Numbers in brackets are pitfalls of the MIMIC-IV notes in the README of this stage.
create table judged as
with deaths as (
  -- In-hospital deaths; dod is a date from state records and is not used (P80).
  select subject_id, min(deathtime) as died_at from admissions where deathtime is not null group by subject_id
),
stays as (
  select
    s.stay_id, s.subject_id, s.hadm_id, s.first_careunit, s.intime, s.outtime, s.los,
    a.admittime, a.dischtime, d.died_at,
    p.subject_id is null as is_orphan_subject,
    a.hadm_id is null as is_orphan_admission,
    -- anchor_age is the age in anchor_year, not at the admission (P02); 91 means over 89 (P01).
    p.anchor_age + year(a.admittime) - p.anchor_year as age
  from icustays s
  left join patients p on p.subject_id = s.subject_id
  left join admissions a on a.hadm_id = s.hadm_id and a.subject_id = s.subject_id
  left join deaths d on d.subject_id = s.subject_id
),
data_faults as (
  select *,
    case
      when is_orphan_subject then 'orphan_subject'              -- P20
      when is_orphan_admission then 'orphan_admission'          -- mimic-code#120
      when outtime is null then 'missing_outtime'               -- P49
      when outtime <= intime or los < 0 then 'negative_los'     -- P09
      when dischtime < admittime then 'hosp_time_order'         -- P09
      when admittime > died_at or intime > died_at then 'after_death'  -- P10, organ donors
    end as fault
  from stays
),
adults as (
  select *, coalesce(fault, case when age < $min_age then 'under_age' end) as too_early from data_faults
),
numbered as (
  -- Only stays without a fault compete for being the first; a short first stay still is the first.
  select *,
    row_number() over (
      partition by too_early is null, subject_id, case when $stays = 'first_per_admission' then hadm_id end
      order by intime, stay_id
    ) as nth
  from adults
)
select
  stay_id, subject_id, hadm_id, admittime, dischtime, intime, outtime,
  coalesce(
    too_early,
    case
      when $stays <> 'all' and nth > 1 then 'later_stay'        -- P12
      when first_careunit in (select careunit from excluded_careunits) then 'excluded_careunit'  -- P79
      when date_diff('second', intime, outtime) < $min_los_hours * 3600 then 'short_stay'        -- P13
    end
  ) as reason
from numbered
