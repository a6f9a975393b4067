-- Diagnoses of earlier admissions of the subject (discharged at or before this admission); this admission's codes are the labels.
-- A code belongs to a group when its prefix lies between prefix_from and prefix_to of comorbidity-codes.csv in its ICD version.
-- Codes in no group stay with group_name null: they show that a history exists.
create table coded as
with code as (select distinct icd_code, icd_version from diagnoses_icd)
select d.icd_code, d.icd_version, c."group" as group_name, c.system
from code d left join comorbidity_code c
  on c.icd_version = d.icd_version
  and left(d.icd_code, len(c.prefix_from)) >= c.prefix_from
  and left(d.icd_code, len(c.prefix_to)) <= c.prefix_to;

create view prior_dx_row as
select s.stay_id, d.hadm_id, d.seq_num, a.dischtime, d.icd_code, d.icd_version, c.group_name, c.system
from stay s
join admissions a on a.subject_id = s.subject_id and a.hadm_id <> s.hadm_id and a.dischtime <= s.admittime
join diagnoses_icd d on d.hadm_id = a.hadm_id
join coded c on c.icd_code = d.icd_code and c.icd_version = d.icd_version;

create table prior_dx as
select distinct stay_id, icd_code, icd_version, group_name, system from prior_dx_row;
