-- Systemic Inflammatory Response Syndrome criteria of the first 24 h (F351 to F355). Bone 1992 doi:10.1378/chest.101.6.1644.
insert into score_input
select f.stay_id, 'sirs', 0, m.item, f.value, null
from feature_values f
join (values
  ('F116', 'temperature'), ('F117', 'temperature'),
  ('F090', 'heart_rate'),
  ('F111', 'respiratory_rate'),
  ('F190', 'wbc'), ('F191', 'wbc'), ('F278', 'bands')
) m (feature_id, item) on m.feature_id = f.feature_id;

insert into score_input
select stay_id, 'sirs', 0, 'paco2', min(pco2), null
from score_gas where pco2 is not null
group by stay_id;
