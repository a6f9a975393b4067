-- Charted parts of the Glasgow Coma Scale; the oracle profile may carry those of the 6 h before into the window.
create view gcs_row as
select c.stay_id, c.itemid, c.charttime, c.value, c.valuenum, c.valueuom,
  case
    when c.valuenum is null then 'no number'
    when c.charttime < s.chart_from - case when is_oracle then interval 6 hour else interval 0 hour end then 'before the window'
    when c.charttime >= s.window_end then 'after the window'
  end as why_not
from chart c join stay s on s.stay_id = c.stay_id cross join setting
where c.itemid in (220739, 223900, 223901);
