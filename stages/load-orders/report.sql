-- Rows about a radiology report: it has to be in note.radiology and to be of the same patient. A report that was refused
-- takes its rows along.
select
  r.record,
  case when x.id is not null then 'drop' else 'reject' end as verdict,
  case
    when x.id is not null then 'parent_refused'
    when n.note_id is null then 'orphan_report'
    else 'subject_mismatch'
  end as reason,
  case when n.note_id is null then 'note_id' else 'subject_id' end as field,
  case when n.note_id is null then r.note_id else r.subject_id::varchar end as got,
  case when n.note_id is null then 'a row in note.radiology' else 'subject_id ' || n.subject_id end as expected
from good r
left join radiology n on n.note_id = r.note_id
left join refused x on x.source = 'note.radiology' and x.id = r.note_id
where n.note_id is null or n.subject_id <> r.subject_id
