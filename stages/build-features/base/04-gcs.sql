-- Glasgow Coma Scale: eye 220739, verbal 223900, motor 223901.
-- `No Response-ETT` (carries valuenum 1 in the data) means untestable: verbal 0, total 15.
-- A part that was not charted at a time is carried forward from its last charting less than 6 h ago.
-- benchmark: only rows of the window are read, and a total with a part still missing is null. oracle (mimic-code gcs.sql): the whole
-- stay up to the window's end is read, it looks back one charting only, and a missing part counts as normal; after an untestable
-- charting nothing is carried.
create table gcs as
with charted as (
  select
    stay_id, charttime,
    max(valuenum) filter (where itemid = 220739 and valuenum between 1 and 4) as eye,
    max(valuenum) filter (where itemid = 223900 and valuenum between 1 and 5 and trim(value) is distinct from 'No Response-ETT') as spoken,
    bool_or(itemid = 223900 and trim(value) is not distinct from 'No Response-ETT') as is_ett,
    max(valuenum) filter (where itemid = 223901 and valuenum between 1 and 6) as motor
  from chart c join stay s using (stay_id) cross join setting
  where c.itemid in (220739, 223900, 223901) and (is_oracle or c.charttime >= s.t0) and c.charttime < s.window_end
  group by stay_id, charttime
), parts as (
  select stay_id, charttime, eye, motor, case when is_ett then 0.0 else spoken end as verbal from charted
), carried as (
  select
    stay_id, charttime, eye, verbal, motor,
    -- Values of the last 6 h, oldest first; the newest one that is there wins.
    last_value(eye ignore nulls) over six_hours as eye_6h,
    last_value(verbal ignore nulls) over six_hours as verbal_6h,
    last_value(motor ignore nulls) over six_hours as motor_6h,
    case when charttime < lag(charttime) over one_back + interval 6 hour then lag(eye) over one_back end as eye_1,
    case when charttime < lag(charttime) over one_back + interval 6 hour then lag(verbal) over one_back end as verbal_1,
    case when charttime < lag(charttime) over one_back + interval 6 hour then lag(motor) over one_back end as motor_1
  from parts
  window
    six_hours as (partition by stay_id order by charttime range between interval '5:59:59.999999' preceding and current row),
    one_back as (partition by stay_id order by charttime)
), totals as (
  select
    c.stay_id, c.charttime,
    case when is_oracle then coalesce(eye, eye_1) else eye_6h end as eye_used,
    case when is_oracle then coalesce(verbal, verbal_1) else verbal_6h end as verbal_used,
    case when is_oracle then coalesce(motor, motor_1) else motor_6h end as motor_used,
    case
      when not is_oracle then case when verbal_6h = 0 then 15.0 else eye_6h + verbal_6h + motor_6h end
      when verbal = 0 or (verbal is null and verbal_1 = 0) then 15.0
      when verbal_1 = 0 then coalesce(motor, 6) + coalesce(verbal, 5) + coalesce(eye, 4)
      else coalesce(motor, motor_1, 6) + coalesce(verbal, verbal_1, 5) + coalesce(eye, eye_1, 4)
    end as total
  from carried c cross join setting
)
select
  stay_id, charttime, eye_used as eye, verbal_used as verbal, motor_used as motor, total,
  -- An untestable verbal part is set to (eye + motor) / 2, which maps 1 + 1 to 1 and 4 + 6 to 5.
  case when verbal_used = 0 then (eye_used + motor_used) * 1.5 else total end as total_sedation_blind,
  coalesce(verbal_used = 0, false) as is_untestable
from totals;
