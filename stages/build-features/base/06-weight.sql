-- Admission weight (F004): rows of the stay before the window ends, no lower bound (126 of 129 rows of 226512 in the open demo
-- lie at or before intime). Order of preference 226512 kg, 226531 lb x 0.45359237, 224639 daily kg; within one the earliest row.
-- Plausible 20 to 300 kg. The oracle profile reads 226512 only.
create view weight_row as
select
  c.stay_id, c.itemid, c.charttime, c.value, c.valuenum, c.valueuom,
  case c.itemid when 226512 then 1 when 226531 then 2 else 3 end as preference,
  case c.itemid when 226531 then c.valuenum * 0.45359237 else c.valuenum end as kg,
  coalesce(case c.itemid when 226531 then c.valuenum * 0.45359237 else c.valuenum end between 20 and 300, false) as is_plausible
from chart c join stay s on s.stay_id = c.stay_id cross join setting
where c.itemid in (226512, 226531, 224639) and c.charttime < s.window_end and (not is_oracle or c.itemid = 226512);

create table weight as
select stay_id, exact_mean(kg) as kg, min(preference) as preference, min(charttime) as charttime
from (
  select *, dense_rank() over (partition by stay_id order by preference, charttime) as place
  from weight_row where is_plausible
)
where place = 1
group by stay_id;
