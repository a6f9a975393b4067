-- Rows charted in the ICU: the stay has to exist with the same patient and admission (mimic-code#120). Single rows are charted a
-- year or more away from their stay (P15): further than {{far_days}} days outside it they are left
-- out and counted, since windows without a lower bound would use them.
with stays as (
  select
    stay_id,
    subject_id,
    hadm_id,
    intime - interval '{{far_days}} days' as earliest,
    greatest(intime, coalesce(outtime, intime)) + interval '{{far_days}} days' as latest
  from icustays
),
wrong as (
  select
    r.*,
    s.stay_id as known,
    s.subject_id || ' / ' || s.hadm_id as parents,
    s.subject_id = r.subject_id and s.hadm_id = r.hadm_id as is_same,
    r.{{time}} < s.earliest or r.{{time}} > s.latest as is_far
  from good r
  left join stays s on s.stay_id = r.stay_id
  where
    s.stay_id is null or s.subject_id <> r.subject_id or s.hadm_id <> r.hadm_id
    or r.{{time}} < s.earliest or r.{{time}} > s.latest or r.{{end}} < r.{{time}}
)
select
  r.record,
  case when x.id is not null or known is not null and is_same and is_far then 'drop' else 'reject' end as verdict,
  case
    when x.id is not null then 'parent_refused'
    when known is null then 'orphan_stay'
    when not is_same then 'stay_mismatch'
    when is_far then 'far_charttime'
    else 'negative_interval'
  end as reason,
  case
    when known is null then 'stay_id'
    when not is_same then 'hadm_id'
    else '{{end}}'
  end as field,
  case
    when known is null then r.stay_id::varchar
    when not is_same then r.subject_id || ' / ' || r.hadm_id
    else r.{{end}}::varchar
  end as got,
  case
    when known is null then 'a row in icu.icustays'
    when not is_same then parents
    else 'at or after ' || r.{{time}}
  end as expected
from wrong r
left join refused x on x.source = 'icu.icustays' and x.id = r.stay_id::varchar
