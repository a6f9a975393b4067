-- Charlson comorbidity index of earlier admissions, without age points (F070).
-- Groups: comorbidity-codes.csv (Quan 2005); weights of 1987 and hierarchy: points/charlson.csv, where the parts liver, diabetes
-- and cancer count their heaviest group only. No history counts as no disease; F086 tells the two apart.
insert into score_input
select s.stay_id, 'charlson', 0, g.item, case when d.stay_id is null then 0 else 1 end, null
from stay s
cross join (select distinct item from score_band where score = 'charlson') g
left join (select distinct stay_id, group_name from prior_dx where system = 'charlson') d
  on d.stay_id = s.stay_id and d.group_name = g.item;
