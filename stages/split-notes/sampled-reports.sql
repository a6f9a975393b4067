-- The radiology reports of sampled admissions. Without an admission of its own a report belongs to the one that holds the
-- time of the exam, to the later one where two do (P69, P11). The stay in the emergency department counts.
create table placed_reports as
with timed as (
  select r.note_id, arg_max(a.hadm_id, (a.admittime, a.hadm_id)) as hadm_id
  from radiology r join admissions a on a.subject_id = r.subject_id
    and r.charttime >= least(a.admittime, coalesce(a.edregtime, a.admittime)) and r.charttime <= a.dischtime
  where r.hadm_id is null group by r.note_id
),
parents as (
  select note_id, min(field_value) as parent_note_id from radiology_detail
  where field_name = 'parent_note_id' and field_value is not null group by note_id
)
select r.note_id, r.subject_id, coalesce(r.hadm_id, t.hadm_id) as hadm_id, r.hadm_id is not null as is_hadm_recorded,
  p.parent_note_id, greatest(r.charttime, coalesce(r.storetime, r.charttime)) as available_at,
  case
    when coalesce(r.hadm_id, t.hadm_id) is null then 'no_admission'
    when s.hadm_id is null then 'admission_not_sampled'
  end as drop_reason
from radiology r
left join timed t using (note_id)
left join parents p using (note_id)
left join sampled_admissions s on s.hadm_id = coalesce(r.hadm_id, t.hadm_id);
