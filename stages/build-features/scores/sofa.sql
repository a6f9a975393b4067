-- Sequential Organ Failure Assessment of the first 24 h (F340 to F346). Vincent 1996 doi:10.1007/BF01709751.
-- Worst value of the window per organ. Vasopressin, phenylephrine and milrinone do not count.
insert into score_input
select f.stay_id, 'sofa', 0, m.item, f.value, null
from feature_values f
join (values
  ('F187', 'platelets'),     -- lowest, K/uL
  ('F248', 'bilirubin'),     -- highest total, mg/dL
  ('F104', 'map'),           -- lowest mean pressure, mmHg
  ('F163', 'gcs'),           -- lowest total; an untestable verbal response counts as 15
  ('F220', 'creatinine')     -- highest, mg/dL
) m (feature_id, item) on m.feature_id = f.feature_id;

insert into score_input select stay_id, 'sofa', 0, 'urine_24h', ml_24h, null from score_urine;

-- Highest rate of each drug on any interval that overlaps the window, mcg/kg/min.
insert into score_input
select stay_id, 'sofa', 0, drug, max(rate), null
from pressor where drug in ('dopamine', 'dobutamine', 'epinephrine', 'norepinephrine')
group by stay_id, drug;

-- PaO2/FiO2 of each arterial gas; 3 and 4 points only with respiratory support at that minute: invasive or by mask
-- (oracle profile: invasive only).
insert into score_input
select
  g.stay_id, 'sofa', 0,
  case when is_invasive or (is_niv and not is_oracle) then 'pf_ratio_supported' else 'pf_ratio_unsupported' end,
  min(g.pf_ratio), null
from score_gas g cross join setting
where g.pf_ratio is not null
group by all;
