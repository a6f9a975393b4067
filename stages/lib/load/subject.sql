-- Rows of patients who are not in hosp.patients (P20): refused. A patient whose own row was refused takes the row along.
select
  r.record,
  case when x.id is not null then 'drop' else 'reject' end as verdict,
  case when x.id is not null then 'parent_refused' else 'orphan_subject' end as reason,
  'subject_id' as field,
  r.subject_id::varchar as got,
  'a row in hosp.patients' as expected
from good r
left join patients p on p.subject_id = r.subject_id
left join refused x on x.source = 'hosp.patients' and x.id = r.subject_id::varchar
where p.subject_id is null
