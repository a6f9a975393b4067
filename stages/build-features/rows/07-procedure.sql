-- Procedures that overlap the window or start in it, cut to it. Durations come from starttime and endtime: `value` mixes units.
create view procedure_row as
select
  p.stay_id, p.itemid, p.orderid, p.starttime, p.endtime, p.value, p.valueuom,
  greatest(p.starttime, s.t0) as clipped_start,
  least(coalesce(p.endtime, s.window_end), s.window_end) as clipped_end,
  p.starttime >= s.t0 as is_start_in_window,
  case
    when p.statusdescription = 'Rewritten' then 'rewritten order'
    when p.endtime < p.starttime then 'ends before it starts'
    when not coalesce(p.storetime, p.starttime) < s.filed_before then 'filed after the window'
  end as why_not
from procedureevents p join stay s on s.stay_id = p.stay_id
where p.starttime < s.window_end and (coalesce(p.endtime, s.window_end) > s.t0 or p.starttime >= s.t0);
