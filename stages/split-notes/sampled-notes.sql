-- The discharge notes of sampled admissions, and why the others are left out.
create table placed_notes as
select d.note_id, d.subject_id, d.hadm_id,
  case
    when s.hadm_id is null then 'admission_not_sampled'
    -- An addendum holds corrections written after discharge.
    when d.note_type <> 'DS' then 'addendum_note'
    -- Such an admission has several summaries, or its patient is outside the years that notes cover.
    when not s.has_note then 'note_not_used'
    when row_number() over (partition by d.hadm_id, d.note_type order by d.note_seq, d.note_id) > 1 then 'further_note'
  end as drop_reason
from discharge d left join sampled_admissions s using (hadm_id);
