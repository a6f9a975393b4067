-- KDIGO stage of acute kidney injury by creatinine (F358). KDIGO 2012 doi:10.1038/kisup.2011.32.
-- Each creatinine of the window against the lowest earlier one of 7 days (ratio) and of 48 hours (rise); the worst stage counts.
-- Ratio and rise are rounded to the sixth decimal: in binary 1.2 / 0.8 is a little less than 1.5 and would miss stage 1.
-- Without any earlier value no rise was seen: stage 0.
create view kdigo_creatinine as
with drawn as (
  select
    stay_id, charttime, bool_or(in_window) as in_window,
    avg(num order by num, specimen_id) as creatinine
  from lab where itemid = 50912 and num is not null
  group by stay_id, charttime
)
select
  d.stay_id, d.charttime, d.creatinine,
  round(d.creatinine / min(e.creatinine), 6) as to_7d_low,
  round(d.creatinine - min(e.creatinine) filter (where e.charttime >= d.charttime - interval 48 hour), 6) as above_48h_low
from drawn d
left join drawn e
  on e.stay_id = d.stay_id and e.charttime < d.charttime and e.charttime >= d.charttime - interval 7 day
where d.in_window
group by d.stay_id, d.charttime, d.creatinine;

insert into score_input
select stay_id, 'kdigo', 0, 'creatinine_to_7d_low', coalesce(to_7d_low, 1), null from kdigo_creatinine
union all
select stay_id, 'kdigo', 0, 'creatinine_above_48h_low', above_48h_low, null from kdigo_creatinine
union all
-- 4.0 mg/dL is stage 3 only together with a rise that is acute kidney injury by itself.
select stay_id, 'kdigo', 0, 'creatinine_with_acute_rise', creatinine, null
from kdigo_creatinine where to_7d_low >= 1.5 or above_48h_low >= 0.3;
