-- Rows that may name an admission: the patient has to exist, and the admission, where one is named, has to exist and to
-- belong to the same patient. Rows of an admission or a patient that was refused go with it.
select
  r.record,
  case when x.id is not null then 'drop' else 'reject' end as verdict,
  case
    when x.id is not null then 'parent_refused'
    when r.hadm_id is null then 'orphan_subject'
    when a.hadm_id is null then 'orphan_admission'
    else 'subject_mismatch'
  end as reason,
  case when r.hadm_id is null or a.hadm_id is not null then 'subject_id' else 'hadm_id' end as field,
  case when r.hadm_id is null or a.hadm_id is not null then r.subject_id else r.hadm_id end::varchar as got,
  case
    when r.hadm_id is null then 'a row in hosp.patients'
    when a.hadm_id is null then 'a row in hosp.admissions'
    else 'subject_id ' || a.subject_id
  end as expected
from good r
left join patients p on p.subject_id = r.subject_id
left join admissions a on a.hadm_id = r.hadm_id
left join refused x
  on x.source = case when r.hadm_id is null then 'hosp.patients' else 'hosp.admissions' end
  and x.id = coalesce(r.hadm_id, r.subject_id)::varchar
where case when r.hadm_id is null then p.subject_id is null else a.hadm_id is null or a.subject_id <> r.subject_id end
