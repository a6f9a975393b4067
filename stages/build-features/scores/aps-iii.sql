-- Acute Physiology Score III of the first 24 h (F348), APACHE III without age and chronic health.
-- Knaus 1991 doi:10.1378/chest.100.6.1619.

-- Lowest and highest value of the window. Glucose is laboratory and bedside together.
create view aps_iii_extreme as
select f.stay_id, m.item, min(f.value) as low, max(f.value) as high
from feature_values f
join (values
  ('F089', 'heart_rate'), ('F090', 'heart_rate'),
  ('F104', 'map'), ('F105', 'map'),
  ('F116', 'temperature'), ('F117', 'temperature'),
  ('F110', 'respiratory_rate'), ('F111', 'respiratory_rate'),
  ('F183', 'hematocrit'), ('F184', 'hematocrit'),
  ('F190', 'wbc'), ('F191', 'wbc'),
  ('F219', 'creatinine'), ('F220', 'creatinine'),
  ('F200', 'sodium'), ('F201', 'sodium'),
  ('F222', 'glucose'), ('F223', 'glucose'), ('F126', 'glucose'), ('F127', 'glucose')
) m (feature_id, item) on m.feature_id = f.feature_id
group by f.stay_id, m.item
union all
select stay_id, 'albumin', min(num), max(num)
from lab where itemid = 50862 and in_window and num is not null
group by stay_id;

-- Acute renal failure: creatinine >= 1.5 mg/dL and urine < 410 mL/d without chronic kidney disease of dialysis stage
-- (stage 4 or later in an earlier admission).
create view aps_iii_renal_failure as
select c.stay_id
from aps_iii_extreme c
join score_urine u on u.stay_id = c.stay_id
where c.item = 'creatinine' and c.high >= 1.5 and u.ml_24h < 410
  and c.stay_id not in (select stay_id from score_chronic where disease = 'dialysis_stage_kidney_disease');

-- The extreme that lies farther from the normal of points/aps-iii-normals.csv counts; both when they lie equally far.
-- Distances are compared to the sixth decimal, so that 0.5 and 1.5 lie equally far from 1. On a ventilator a low rate is the machine's.
insert into score_input
select
  e.stay_id, 'aps_iii', 0,
  case when e.item = 'respiratory_rate' and v.stay_id is not null then 'respiratory_rate_ventilated' else e.item end,
  unnest(case sign(round(abs(e.high - n.normal) - abs(e.low - n.normal), 6))
    when 1 then [e.high] when -1 then [e.low] else [e.low, e.high] end),
  null
from aps_iii_extreme e
join score_normal n on n.item = e.item
left join score_invasive v on v.stay_id = e.stay_id
where not (e.item = 'creatinine' and e.stay_id in (select stay_id from aps_iii_renal_failure));

insert into score_input
select e.stay_id, 'aps_iii', 0, 'creatinine_acute_renal_failure', e.high, null
from aps_iii_extreme e join aps_iii_renal_failure r on r.stay_id = e.stay_id
where e.item = 'creatinine';

insert into score_input
select f.stay_id, 'aps_iii', 0, m.item, f.value, null
from feature_values f
join (values ('F216', 'bun'), ('F248', 'bilirubin')) m (feature_id, item) on m.feature_id = f.feature_id;

insert into score_input select stay_id, 'aps_iii', 0, 'urine_24h', ml_24h, null from score_urine;

-- Oxygenation: the A-a gradient of gases drawn on invasive ventilation with FiO2 >= 50 %, the PaO2 of all other arterial gases.
-- A ventilated gas without a known FiO2 belongs to neither.
insert into score_input
select stay_id, 'aps_iii', 0, 'aado2_ventilated', max(aado2), null
from score_gas where is_invasive and fio2 >= 50 and aado2 is not null
group by stay_id;

insert into score_input
select stay_id, 'aps_iii', 0, 'pao2', min(po2), null
from score_gas where po2 is not null and (not is_invasive or fio2 < 50)
group by stay_id;

-- Acid-base: pH by PaCO2 of each arterial gas; the cell with most points counts.
insert into score_input
select stay_id, 'aps_iii', 0, 'ph_by_paco2', ph, pco2
from score_gas where ph is not null and pco2 is not null;

-- Neurologic: verbal by motor response, apart for closed (1) and open (2 to 4) eyes, at the lowest total of the window
-- (the last of equals, as mimic-code). Combinations that the publication calls impossible have no row and give no points;
-- neither has an untestable verbal response, which therefore adds 0 to the total.
insert into score_input
select
  stay_id, 'aps_iii', 0,
  case when eye = 1 then 'verbal_by_motor_eyes_closed' else 'verbal_by_motor_eyes_open' end,
  verbal, motor
from (
  select g.*, row_number() over (partition by g.stay_id order by g.total, g.charttime desc) as place
  from gcs g join stay s on s.stay_id = g.stay_id
  where g.charttime >= s.chart_from and g.charttime < s.window_end and g.total is not null
)
where place = 1 and eye is not null and verbal is not null and motor is not null;
