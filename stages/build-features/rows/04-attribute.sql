-- Texts known at intime, upper case and trimmed: one row per stay and attribute.
-- service: in force at intime, the latest transfer of the admission at or before intime + 1 h.
create view attribute_row as
with known as (
  select s.stay_id, 'gender' as attribute, 'patients' as source_table, p.gender as value from stay s join patients p on p.subject_id = s.subject_id
  union all
  select s.stay_id, 'race', 'admissions', a.race from stay s join admissions a on a.hadm_id = s.hadm_id
  union all
  select s.stay_id, 'language', 'admissions', a.language from stay s join admissions a on a.hadm_id = s.hadm_id
  union all
  select s.stay_id, 'marital_status', 'admissions', a.marital_status from stay s join admissions a on a.hadm_id = s.hadm_id
  union all
  select s.stay_id, 'insurance', 'admissions', a.insurance from stay s join admissions a on a.hadm_id = s.hadm_id
  union all
  select s.stay_id, 'admission_type', 'admissions', a.admission_type from stay s join admissions a on a.hadm_id = s.hadm_id
  union all
  select s.stay_id, 'admission_location', 'admissions', a.admission_location from stay s join admissions a on a.hadm_id = s.hadm_id
  union all
  select s.stay_id, 'first_careunit', 'icustays', i.first_careunit from stay s join icustays i on i.stay_id = s.stay_id
  union all
  select stay_id, 'service', 'services', curr_service from (
    select s.stay_id, v.curr_service,
      row_number() over (partition by s.stay_id order by v.transfertime desc, v.curr_service) as place
    from stay s join services v on v.hadm_id = s.hadm_id and v.transfertime <= s.intime + interval 1 hour
  ) where place = 1
)
select stay_id, attribute, source_table, value, upper(trim(coalesce(value, ''))) as folded from known;
