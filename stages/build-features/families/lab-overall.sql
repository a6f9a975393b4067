-- F309 specimens drawn in the window; F310 rows flagged abnormal / rows with a number. Every itemid counts, not only the registry's.
with counted as (
  select
    s.stay_id,
    count(distinct e.specimen_id) as specimens_n,
    count(*) filter (where e.flag = 'abnormal') as abnormal_n,
    count(e.valuenum) as numbers_n
  from labevents e join stay s on s.subject_id = e.subject_id
  where e.charttime >= s.lab_from and e.charttime < s.window_end and coalesce(e.storetime, e.charttime) < s.filed_before
  group by s.stay_id
)
select stay_id, 'F309' as feature_id, cast(specimens_n as double) as value from counted
union all
select stay_id, 'F310', abnormal_n / numbers_n from counted where numbers_n > 0
