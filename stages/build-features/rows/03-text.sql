-- Charted texts of the window, outer blanks removed, with the feature that looks at them. Each distinct text is compared once.
create table text_match as
with charted as (select distinct itemid, value from chart where itemid in (select itemid from text_item))
select
  t.feature_id, c.itemid, c.value,
  case
    when c.value is null or trim(c.value) = '' then 'no text'
    when regexp_matches(trim(c.value), t.pattern) = t.is_negated then 'another text'
  end as why_not
from charted c join text_item t on t.itemid = c.itemid;

create view text_row as
select m.feature_id, c.stay_id, c.itemid, c.charttime, c.value, c.valuenum, c.valueuom, m.why_not
from chart c
join text_match m on m.itemid = c.itemid and m.value is not distinct from c.value
join stay s on s.stay_id = c.stay_id
where c.charttime >= s.chart_from and c.charttime < s.window_end;
