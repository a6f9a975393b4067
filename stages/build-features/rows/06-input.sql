-- Inputs whose interval overlaps the window, with the share of the amount that falls into it: overlap / duration.
-- A row without duration counts whole when it starts in the window. Rewritten orders and rows that end before they start are left out.
create view input_row as
with timed as (
  select
    i.*, s.t0, s.window_end,
    case
      when i.endtime > i.starttime then
        epoch(least(i.endtime, s.window_end) - greatest(i.starttime, s.t0)) / epoch(i.endtime - i.starttime)
      else 1.0
    end as share,
    case
      when i.statusdescription = 'Rewritten' then 'rewritten order'
      when i.endtime < i.starttime then 'ends before it starts'
      when not coalesce(i.storetime, i.starttime) < s.filed_before then 'filed after the window'
    end as why_not
  from inputevents i join stay s on s.stay_id = i.stay_id
  where i.starttime < s.window_end and (i.endtime > s.t0 or i.starttime >= s.t0)
)
select
  stay_id, itemid, orderid, starttime, endtime, amount, amountuom, rate, rateuom, ordercomponenttypedescription,
  share, why_not
from timed;
