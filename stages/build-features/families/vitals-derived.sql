-- F129, F130 shock index; F131, F132 pulse pressure; F160 Braden; F176 pupil asymmetry.
-- Shock index: heart rate / systolic pressure of one charttime, 0.1 to 6.
-- Pulse pressure: systolic - diastolic of one charttime and one route (line with line, cuff with cuff), 1 to 250; a negative or zero
-- difference means mixed readings and is dropped.
-- Braden: the sum of its six parts at one charttime, all six charted; 6 to 23.
-- Pupils: absolute difference of left and right at one charttime.
with shock as (
  select h.stay_id, h.charttime, h.num / b.num as num
  from series h join series b on b.stay_id = h.stay_id and b.charttime = h.charttime and b.series = 'sbp'
  where h.series = 'heart_rate'
), one_item as (
  select stay_id, charttime, itemid, exact_mean(num) as num
  from series_row where series in ('sbp', 'dbp') and why_not is null
  group by stay_id, charttime, itemid
), pulse as (
  select s.stay_id, s.charttime, s.itemid, s.num - d.num as num
  from one_item s join one_item d on d.stay_id = s.stay_id and d.charttime = s.charttime
    and d.itemid = case s.itemid when 220050 then 220051 when 220179 then 220180 when 225309 then 225310 end
), braden as (
  select stay_id, charttime, sum(points) as total
  from (
    select stay_id, charttime, itemid, exact_mean(points) as points from braden_row where why_not is null group by stay_id, charttime, itemid
  )
  group by stay_id, charttime having count(*) = 6
), pupils as (
  select l.stay_id, abs(l.num - r.num) as num
  from series l join series r on r.stay_id = l.stay_id and r.charttime = l.charttime and r.series = 'gcs_pupil_right'
  where l.series = 'gcs_pupil_left'
)
select stay_id, 'F129' as feature_id, max(num) as value from shock where num between 0.1 and 6 group by stay_id
union all
select stay_id, 'F130', exact_mean(num) from shock where num between 0.1 and 6 group by stay_id
union all
select stay_id, 'F131', min(num) from pulse where num between 1 and 250 group by stay_id
union all
select stay_id, 'F132', exact_mean(num) from pulse where num between 1 and 250 group by stay_id
union all
select stay_id, 'F160', min(total) from braden where total between 6 and 23 group by stay_id
union all
select stay_id, 'F176', max(num) + 0.0 from pupils group by stay_id
