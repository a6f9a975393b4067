-- Diagnoses of admissions that ended before this one began, each title once, from the latest admission that has it.
create table earlier_codes as
with coded as (
  select s.hadm_id, d.hadm_id as from_hadm_id, d.seq_num, a.dischtime,
    coalesce(t.long_title, 'ICD-' || d.icd_version || ' ' || d.icd_code) as title
  from sampled_admissions s
  join admissions a on a.subject_id = s.subject_id and a.hadm_id <> s.hadm_id and a.dischtime <= s.admittime
  join diagnoses_icd d on d.hadm_id = a.hadm_id
  left join d_icd_diagnoses t on t.icd_code = d.icd_code and t.icd_version = d.icd_version
),
latest as (
  select * from coded
  qualify row_number() over (partition by hadm_id, title order by dischtime desc, from_hadm_id desc, seq_num) = 1
)
select *, row_number() over (partition by hadm_id order by dischtime desc, from_hadm_id desc, seq_num) as rank_n
from latest;
