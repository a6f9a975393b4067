-- KDIGO stage of acute kidney injury by urine output (F359). KDIGO 2012 doi:10.1038/kisup.2011.32.
-- At each charting of urine in the window: millilitres per kg and hour over the chartings of the last 6, 12 and 24 h. Each charting
-- stands for the time since the one before it; the first one for 1 h, as its start is unknown. A span is judged when its chartings
-- stand for at least that long; the 6 h span not when they stand for 12 h or more. Not judged in the first 6 h after t0.
-- Rates are rounded to four decimals, as mimic-code does. Weight: admission weight (F004); without one the stage is null, and
-- also when no charting could be judged.
create view kdigo_urine as
with charted as (
  select u.stay_id, u.charttime, sum(cast(u.ml as decimal(18, 3))) as ml
  from urine u join stay s on s.stay_id = u.stay_id
  where u.charttime >= s.t0 and u.charttime < s.window_end
  group by u.stay_id, u.charttime
), spaced as (
  select
    *,
    coalesce(date_diff('second', lag(charttime) over (partition by stay_id order by charttime), charttime), 3600) as seconds
  from charted
), spans as (
  select
    stay_id, charttime,
    sum(ml) over w6 as ml_6h, sum(seconds) over w6 as seconds_6h,
    sum(ml) over w12 as ml_12h, sum(seconds) over w12 as seconds_12h,
    sum(ml) over w24 as ml_24h, sum(seconds) over w24 as seconds_24h
  from spaced
  window
    w6 as (partition by stay_id order by charttime range between interval 6 hour preceding and current row),
    w12 as (partition by stay_id order by charttime range between interval 12 hour preceding and current row),
    w24 as (partition by stay_id order by charttime range between interval 24 hour preceding and current row)
)
select
  p.stay_id, p.charttime,
  case when seconds_6h >= 6 * 3600 and seconds_6h < 12 * 3600 then round(ml_6h / w.kg / (seconds_6h / 3600), 4) end as rate_6h,
  case when seconds_12h >= 12 * 3600 then round(ml_12h / w.kg / (seconds_12h / 3600), 4) end as rate_12h,
  case when seconds_24h >= 24 * 3600 then round(ml_24h / w.kg / (seconds_24h / 3600), 4) end as rate_24h
from spans p
join stay s on s.stay_id = p.stay_id
join weight w on w.stay_id = p.stay_id
where p.charttime > s.t0 + interval 6 hour;

insert into score_input
select stay_id, 'kdigo', 0, 'urine_rate_6h', rate_6h, null from kdigo_urine where rate_6h is not null
union all
select stay_id, 'kdigo', 0, 'urine_rate_12h', rate_12h, null from kdigo_urine where rate_12h is not null
union all
select stay_id, 'kdigo', 0, 'urine_rate_24h', rate_24h, null from kdigo_urine where rate_24h is not null;
