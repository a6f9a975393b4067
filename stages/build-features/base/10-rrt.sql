-- Renal replacement (F431): dialysis intervals of procedureevents that overlap the window, cut to it.
create table rrt as
select
  p.stay_id,
  greatest(p.starttime, s.t0) as starttime, least(coalesce(p.endtime, s.window_end), s.window_end) as endtime,
  p.itemid
from procedureevents p join stay s on s.stay_id = p.stay_id
where p.itemid in (225441, 225802, 225803, 225805, 225809, 225955)
  and p.starttime < s.window_end and coalesce(p.endtime, s.window_end) > s.t0
  and p.statusdescription <> 'Rewritten' and coalesce(p.endtime >= p.starttime, true)
  and coalesce(p.storetime, p.starttime) < s.filed_before;
