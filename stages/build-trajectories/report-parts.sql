-- Radiology: Findings and Impression of a report when it could be read (P71); an addendum is an event of its own (P69).
insert into parts
with told as (
  select r.*
  from report_sections r
  join windows w on w.hadm_id = r.hadm_id and w.is_sampled
  where r.section in ('examination', 'findings', 'impression', 'addendum') and trim(r.text) <> ''
)
select
  hadm_id, 'radiology', 'note ' || note_id, available_at, charttime, '', lpad(part_n::varchar, 6, '0'), chr(10),
  upper(section[1]) || section[2:] || ': ' || trim(regexp_replace(text, '\s+', ' ', 'g')),
  false, null, null, null, null, null, null, true, null, 'radiology', 'note_id=' || note_id
from told
where note_id in (select note_id from told where section <> 'examination')
