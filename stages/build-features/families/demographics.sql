-- F001 age, F003 height, F004 weight, F005 body mass index.
-- Age at admission: anchor_age is the age in anchor_year, and 91 stands for everyone over 89, so the result is capped at 91.
-- Height: any row of the stay (it does not change), the earliest; 226730 (cm) before 226707 (inch) at one time; 120 to 230 cm;
-- else the last outpatient height dated before the day of admission (a date is known from its end).
-- Body mass index: weight / height^2, 10 to 80; else the last outpatient one dated before the day of admission.
with charted_height as (
  select stay_id, arg_min(cm, epoch_us(charttime) * 2 + case itemid when 226730 then 0 else 1 end) as cm
  from (select stay_id, charttime, itemid, exact_mean(cm) as cm from height_row where why_not is null group by all)
  group by stay_id
), outpatient as (
  select
    s.stay_id,
    arg_max(number * 2.54, place) filter (where o.result_name = 'Height (Inches)' and number * 2.54 between 120 and 230) as cm,
    arg_max(number, place) filter (where o.result_name = 'BMI (kg/m2)' and number between 10 and 80) as bmi
  from stay s
  join (
    select *,
      case when regexp_matches(trim(result_value), '^[0-9]+(\.[0-9]+)?$') then cast(trim(result_value) as double) end as number,
      epoch(cast(chartdate as timestamp)) * 1000 + seq_num as place
    from omr where result_name in ('Height (Inches)', 'BMI (kg/m2)')
  ) o on o.subject_id = s.subject_id and o.chartdate < cast(s.admittime as date)
  group by s.stay_id
), body as (
  select s.stay_id, coalesce(h.cm, o.cm) as cm, w.kg, o.bmi as outpatient_bmi
  from stay s
  left join charted_height h on h.stay_id = s.stay_id
  left join outpatient o on o.stay_id = s.stay_id
  left join weight w on w.stay_id = s.stay_id
), computed as (
  select *, kg / (cm / 100 * cm / 100) as bmi from body
)
select s.stay_id, 'F001' as feature_id, cast(least(
  p.anchor_age + year(s.admittime) - p.anchor_year,
  case when is_oracle then 999 else 91 end) as double) as value
from stay s join patients p on p.subject_id = s.subject_id cross join setting
union all
select stay_id, 'F003', cm from computed
union all
select stay_id, 'F004', kg from computed
union all
select stay_id, 'F005', case when bmi between 10 and 80 then bmi else outpatient_bmi end from computed
