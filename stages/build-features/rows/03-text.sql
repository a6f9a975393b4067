-- Charted texts of the window, outer blanks removed, with the feature that looks at them.
create view text_row as
select
  t.feature_id, c.stay_id, c.itemid, c.charttime, c.value, c.valuenum, c.valueuom,
  case
    when c.value is null or trim(c.value) = '' then 'no text'
    when regexp_matches(trim(c.value), t.pattern) = t.is_negated then 'another text'
  end as why_not
from chart c
join text_item t on t.itemid = c.itemid
join stay s on s.stay_id = c.stay_id
where c.charttime >= s.chart_from and c.charttime < s.window_end;
