-- Oxford Acute Severity of Illness Score of the first 24 h (F349). Johnson 2013 doi:10.1097/CCM.0b013e31828a24fe.
-- The table is printed with two decimals and closed bands (36.89 is 98.4 F), so values are rounded to two decimals first.
-- Between two bands of whole numbers (heart rate 106 and 107) the lower band runs on to the next printed number.
insert into score_input
select f.stay_id, 'oasis', 0, m.item, round(f.value, 2), null
from feature_values f
join (values
  ('F001', 'age'),                                    -- 91 stands for all over 89: the band 90 and over
  ('F163', 'gcs'),                                    -- lowest total; an untestable verbal response counts as 15
  ('F089', 'heart_rate'), ('F090', 'heart_rate'),
  ('F104', 'map'), ('F105', 'map'),
  ('F110', 'respiratory_rate'), ('F111', 'respiratory_rate'),
  ('F116', 'temperature'), ('F117', 'temperature')
) m (feature_id, item) on m.feature_id = f.feature_id;

insert into score_input select stay_id, 'oasis', 0, 'urine_24h', round(ml_24h, 2), null from score_urine;

-- Minutes of the clock in hospital before the ICU; an ICU admission before the hospital admission is negative: the first band.
insert into score_input
select stay_id, 'oasis', 0, 'pre_icu_minutes', date_diff('minute', admittime, intime), null from stay;

insert into score_input
select s.stay_id, 'oasis', 0, 'ventilated', case when v.stay_id is null then 0 else 1 end, null
from stay s left join score_invasive v on v.stay_id = s.stay_id;

insert into score_input
select stay_id, 'oasis', 0, 'elective_surgery', case when is_scheduled and is_surgical_first_day then 1 else 0 end, null
from score_admission;
