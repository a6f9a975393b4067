-- The six Braden parts of the window (224054 to 224059): valuenum, else the number that opens the text.
create view braden_row as
select stay_id, charttime, itemid, value, valuenum, valueuom, points,
  case when points is null then 'no number' when not points between 1 and 4 then 'implausible' end as why_not
from (
  select c.*,
    coalesce(c.valuenum, case when regexp_matches(trim(c.value), '^[0-9]+') then cast(regexp_extract(trim(c.value), '^[0-9]+') as double) end) as points
  from chart c join stay s on s.stay_id = c.stay_id
  where c.itemid between 224054 and 224059 and c.charttime >= s.chart_from and c.charttime < s.window_end
);
