-- Rows that name an admission: it has to exist and to belong to the same patient. Rows of an admission that was
-- refused (and rows of its patient) go with it.
select
  r.record,
  case when x.id is not null then 'drop' else 'reject' end as verdict,
  case
    when x.id is not null then 'parent_refused'
    when a.hadm_id is not null then 'subject_mismatch'
    else 'orphan_admission'
  end as reason,
  case when a.hadm_id is not null then 'subject_id' else 'hadm_id' end as field,
  case when a.hadm_id is not null then r.subject_id else r.hadm_id end::varchar as got,
  case when a.hadm_id is not null then 'subject_id ' || a.subject_id else 'a row in hosp.admissions' end as expected
from good r
left join admissions a on a.hadm_id = r.hadm_id
left join refused x on x.source = 'hosp.admissions' and x.id = r.hadm_id::varchar
where a.hadm_id is null or a.subject_id <> r.subject_id
