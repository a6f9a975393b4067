-- Rows charted in the ICU: the stay has to exist with the same patient and admission (mimic-code#120). Single rows are charted a
-- year or more away from their stay (P15): further than {{far_days}} days outside it they are left
-- out and counted, since windows without a lower bound would use them.
select
  r.record,
  case when x.id is not null or s.stay_id is not null and is_same and is_far then 'drop' else 'reject' end as verdict,
  case
    when x.id is not null then 'parent_refused'
    when s.stay_id is null then 'orphan_stay'
    when not is_same then 'stay_mismatch'
    when is_far then 'far_charttime'
    else 'negative_interval'
  end as reason,
  case
    when s.stay_id is null then 'stay_id'
    when not is_same then 'hadm_id'
    else '{{end}}'
  end as field,
  case
    when s.stay_id is null then r.stay_id::varchar
    when not is_same then r.subject_id || ' / ' || r.hadm_id
    else r.{{end}}::varchar
  end as got,
  case
    when s.stay_id is null then 'a row in icu.icustays'
    when not is_same then s.subject_id || ' / ' || s.hadm_id
    else 'at or after ' || r.{{time}}
  end as expected
from good r
left join icustays s on s.stay_id = r.stay_id
left join refused x on x.source = 'icu.icustays' and x.id = r.stay_id
cross join lateral (
  select
    s.subject_id = r.subject_id and s.hadm_id = r.hadm_id as is_same,
    r.{{time}} < s.intime - interval '{{far_days}} days'
      or r.{{time}} > greatest(s.intime, coalesce(s.outtime, s.intime)) + interval '{{far_days}} days' as is_far
)
where s.stay_id is null or not is_same or is_far or r.{{end}} < r.{{time}}
