-- F161 to F164 and F170: the Glasgow total of the window (base/04-gcs.sql), and the lowest total with untestable speech imputed.
with windowed as (
  select g.* from gcs g join stay s on s.stay_id = g.stay_id
  where g.charttime >= s.chart_from and g.charttime < s.window_end
)
select stay_id, 'F161' as feature_id, arg_min(total, charttime) as value from windowed where total is not null group by stay_id
union all
select stay_id, 'F162', arg_max(total, charttime) from windowed where total is not null group by stay_id
union all
select stay_id, 'F163', min(total) from windowed group by stay_id
union all
select stay_id, 'F164', max(total) from windowed group by stay_id
union all
select stay_id, 'F170', min(total_sedation_blind) from windowed group by stay_id
