-- Charted heights in cm: 226730 as it is, 226707 inch x 2.54; plausible 120 to 230 cm.
create view height_row as
select stay_id, charttime, itemid, value, valuenum, valueuom, cm,
  case when cm is null then 'no number' when not cm between 120 and 230 then 'implausible' end as why_not
from (
  select *, case itemid when 226707 then valuenum * 2.54 else valuenum end as cm
  from chart where itemid in (226730, 226707)
);
