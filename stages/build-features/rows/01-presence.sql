-- Which event tables have any row of the stay in its window: there `any` and `count` are 0 rather than unknown (mimic.md 2.2).
-- Rows after the window do not count, so that nothing later can turn an unknown into a 0.
create table presence as
select
  s.stay_id,
  s.stay_id in (select c.stay_id from chart c join stay t on t.stay_id = c.stay_id
    where c.charttime >= t.chart_from and c.charttime < t.window_end) as has_chart,
  s.stay_id in (select t.stay_id from labevents e join stay t on t.subject_id = e.subject_id
    where e.charttime >= t.lab_from and e.charttime < t.window_end and coalesce(e.storetime, e.charttime) < t.filed_before) as has_lab,
  s.stay_id in (select e.stay_id from inputevents e join stay t on t.stay_id = e.stay_id
    where e.starttime < t.window_end and (e.endtime > t.t0 or e.starttime >= t.t0)
      and coalesce(e.storetime, e.starttime) < t.filed_before) as has_input,
  s.stay_id in (select e.stay_id from outputevents e join stay t on t.stay_id = e.stay_id
    where e.charttime >= t.t0 and e.charttime < t.window_end and coalesce(e.storetime, e.charttime) < t.filed_before) as has_output,
  s.stay_id in (select e.stay_id from procedureevents e join stay t on t.stay_id = e.stay_id
    where e.starttime < t.window_end and (coalesce(e.endtime, t.window_end) > t.t0 or e.starttime >= t.t0)
      and coalesce(e.storetime, e.starttime) < t.filed_before) as has_procedure
from stay s;
