-- Estimated glomerular filtration rate, CKD-EPI 2021 creatinine equation without race (F360).
-- Inker 2021 doi:10.1056/NEJMoa2102953: 142 x min(Scr/k, 1)^a x max(Scr/k, 1)^-1.200 x 0.9938^age (x 1.012 for women),
-- k 0.7 and a -0.241 for women, 0.9 and -0.302 for men. First creatinine of the window in mg/dL.
-- The laboratory's own estimate (50920, mostly the text >60) is not read.
insert into score_value
select
  c.stay_id, 'F360',
  case when sex.value = 1
    then 142 * pow(least(c.value / 0.9, 1), -0.302) * pow(greatest(c.value / 0.9, 1), -1.2) * pow(0.9938, age.value)
    else 142 * pow(least(c.value / 0.7, 1), -0.241) * pow(greatest(c.value / 0.7, 1), -1.2) * pow(0.9938, age.value) * 1.012
  end
from feature_values c
join feature_values age on age.stay_id = c.stay_id and age.feature_id = 'F001'
join feature_values sex on sex.stay_id = c.stay_id and sex.feature_id = 'F002'
where c.feature_id = 'F217' and c.value > 0;
