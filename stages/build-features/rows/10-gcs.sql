-- Charted parts of the Glasgow Coma Scale before the window ends; parts up to 6 h before a charting of the window may be carried into it.
create view gcs_row as
select c.stay_id, c.itemid, c.charttime, c.value, c.valuenum, c.valueuom,
  case
    when c.valuenum is null then 'no number'
    when c.charttime < s.chart_from - interval 6 hour then 'before the window'
    when c.charttime >= s.window_end then 'after the window'
  end as why_not
from chart c join stay s on s.stay_id = c.stay_id
where c.itemid in (220739, 223900, 223901);
