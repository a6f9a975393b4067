-- Simplified Acute Physiology Score II of the first 24 h (F347). Le Gall 1993 doi:10.1001/jama.270.24.2957.
-- Both extremes of a value are looked up and the higher points count.
insert into score_input
select f.stay_id, 'saps_ii', 0, m.item, f.value, null
from feature_values f
join (values
  ('F001', 'age'),
  ('F089', 'heart_rate'), ('F090', 'heart_rate'),
  ('F095', 'sbp'), ('F096', 'sbp'),
  ('F117', 'temperature'),                            -- highest, Celsius
  ('F216', 'bun'),
  ('F190', 'wbc'), ('F191', 'wbc'),
  ('F203', 'potassium'), ('F204', 'potassium'),
  ('F200', 'sodium'), ('F201', 'sodium'),
  ('F209', 'bicarbonate'),                            -- lowest
  ('F248', 'bilirubin'),
  ('F163', 'gcs')                                     -- lowest total; an untestable verbal response counts as 15
) m (feature_id, item) on m.feature_id = f.feature_id;

insert into score_input select stay_id, 'saps_ii', 0, 'urine_24h', ml_24h, null from score_urine;

-- Oxygenation counts only on a ventilator or on CPAP (invasive or mask) at the time of the gas.
insert into score_input
select stay_id, 'saps_ii', 0, 'pf_ratio_supported', min(pf_ratio), null
from score_gas where pf_ratio is not null and (is_invasive or is_niv)
group by stay_id;

-- Chronic disease of earlier admissions only: this admission's codes are the labels. The heaviest of the three counts.
insert into score_input
select s.stay_id, 'saps_ii', 0, d.disease, case when c.stay_id is null then 0 else 1 end, null
from stay s
cross join (values ('aids'), ('hematologic_malignancy'), ('metastatic_cancer')) d (disease)
left join score_chronic c on c.stay_id = s.stay_id and c.disease = d.disease;

insert into score_input
select
  stay_id, 'saps_ii', 0,
  case when not is_surgical then 'medical' when is_scheduled then 'scheduled_surgical' else 'unscheduled_surgical' end,
  1, null
from score_admission;
