-- Results under an itemid that carries label, fluid and category of a registry item but is not read by the registry:
-- the item has moved (P21), or it is a twin that the registry has not decided on. Guessing would mix assays. The patient
-- has to be in hosp.patients (P20); a patient whose own row was refused takes the result along.
select
  r.record,
  case when x.id is not null then 'drop' else 'reject' end as verdict,
  case
    when x.id is not null then 'parent_refused'
    when p.subject_id is null then 'orphan_subject'
    else 'itemid_moved'
  end as reason,
  case when p.subject_id is null then 'subject_id' else 'itemid' end as field,
  case when p.subject_id is null then r.subject_id else r.itemid end::varchar as got,
  case
    when p.subject_id is null then 'a row in hosp.patients'
    else 'itemid ' || m.itemid || ' (' || m.label || ', ' || m.fluid || ', ' || m.category || ')'
  end as expected
from good r
left join moved_items m on m.other = r.itemid
left join patients p on p.subject_id = r.subject_id
left join refused x on x.source = 'hosp.patients' and x.id = r.subject_id::varchar and p.subject_id is null
where m.other is not null or p.subject_id is null
