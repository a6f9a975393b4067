-- Logistic Organ Dysfunction System of the first 24 h (F350). Le Gall 1996 doi:10.1001/jama.276.10.802.
-- Within an organ the worst item counts; an item that was not measured counts as normal.
insert into score_input
select f.stay_id, 'lods', 0, m.item, f.value, null
from feature_values f
join (values
  ('F163', 'gcs'),                                    -- lowest total; an untestable verbal response counts as 15
  ('F089', 'heart_rate'), ('F090', 'heart_rate'),
  ('F095', 'sbp'), ('F096', 'sbp'),
  ('F216', 'bun'), ('F220', 'creatinine'),
  ('F190', 'wbc'), ('F191', 'wbc'), ('F187', 'platelets'),
  ('F248', 'bilirubin')
) m (feature_id, item) on m.feature_id = f.feature_id;

insert into score_input select stay_id, 'lods', 0, 'urine_24h', ml_24h, null from score_urine;

-- Seconds above the standard, which is 12 s here as in mimic-code (the extract does not name the laboratory's standard).
insert into score_input
select stay_id, 'lods', 0, 'prothrombin_time_above_standard', value - 12, null
from feature_values where feature_id = 'F237';

-- The lung counts only on a ventilator or on CPAP (invasive or mask) at the time of the gas.
insert into score_input
select stay_id, 'lods', 0, 'pf_ratio_supported', min(pf_ratio), null
from score_gas where pf_ratio is not null and (is_invasive or is_niv)
group by stay_id;
