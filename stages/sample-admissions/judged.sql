-- One row per admission with the first reason that takes it out, or null. Numbers in brackets are pitfalls (README).
create table judged as
with deaths as (
  -- In-hospital deaths; dod is a date from state records and is not used (P80).
  select subject_id, min(deathtime) as died_at from admissions where deathtime is not null group by subject_id
),
main_orders as (select distinct hadm_id from prescriptions where drug_type = 'MAIN'),
-- Addenda (AD) are no notes of their own.
notes as (select hadm_id, count(*) as notes_n from discharge where note_type = 'DS' group by hadm_id),
-- By seq_num, which is billing priority (P06); used for strata only.
first_listed as (
  select hadm_id, arg_min(icd_code, seq_num) as icd_code, arg_min(icd_version, seq_num) as icd_version
  from diagnoses_icd group by hadm_id
),
first_services as (
  select hadm_id, curr_service as service from services
  qualify row_number() over (partition by hadm_id order by transfertime, prev_service nulls first, curr_service) = 1
),
known as (
  select
    a.hadm_id, a.subject_id, a.admittime, a.dischtime, a.admission_type,
    s.service, p.gender, f.icd_code, f.icd_version, d.died_at,
    -- anchor_age is the age in anchor_year, not at the admission (P02).
    p.anchor_age + year(a.admittime) - p.anchor_year as years,
    -- 91 stands for every age over 89, so nothing is added to it or taken from it (P01).
    p.anchor_age > 89 or years > 89 as is_over_89,
    right(p.anchor_year_group, 4)::integer as group_ends_in,
    o.hadm_id is not null as has_main_order,
    coalesce(n.notes_n, 0) as notes_n
  from admissions a
  join patients p on p.subject_id = a.subject_id
  left join deaths d on d.subject_id = a.subject_id
  left join main_orders o on o.hadm_id = a.hadm_id
  left join notes n on n.hadm_id = a.hadm_id
  left join first_listed f on f.hadm_id = a.hadm_id
  left join first_services s on s.hadm_id = a.hadm_id
)
select
  * exclude (years, is_over_89, died_at, group_ends_in, has_main_order, notes_n),
  case when is_over_89 then 91 else years end as age,
  notes_n = 1 as has_note,
  case
    when dischtime is null then 'no_dischtime'                                              -- P49
    when dischtime < admittime then 'hosp_time_order'                                       -- P09
    when admittime > died_at then 'after_death'                                             -- P10, organ donors
    when not is_over_89 and years < $min_age then 'under_age'
    when date_diff('second', admittime, dischtime) < $min_stay_hours * 3600 then 'short_stay'
    when not has_main_order then 'no_main_order'
    -- Notes were published for patients up to 2019 (P68).
    when $needs_note and group_ends_in > 2019 then 'after_2019'
    when $needs_note and notes_n = 0 then 'no_note'
    when $needs_note and notes_n > 1 then 'several_notes'
  end as reason
from known
