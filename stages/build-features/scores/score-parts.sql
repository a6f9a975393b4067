-- Points of every part of every score: each reading is looked up in its band, the highest points of a part count.
-- Readings are rounded to the sixth decimal before the look-up, so that a conversion such as (98.6 - 32) / 1.8 meets its edge.
create table score_part as
select i.stay_id, i.score, i.slot, b.part, max(b.points) as points
from (
  select stay_id, score, slot, item, round(value, 6) as value, round(value_2, 6) as value_2
  from score_input where value is not null
) i
join (
  select score, part, item, low, low_inclusive, high, high_inclusive,
    null as low_2, null as low_2_inclusive, null as high_2, null as high_2_inclusive, points
  from score_band
  union all
  select score, part, item, low, low_inclusive, high, high_inclusive, low_2, low_2_inclusive, high_2, high_2_inclusive, points
  from score_grid
) b
  on b.score = i.score and b.item = i.item
  and (b.low is null or i.value > b.low or (i.value = b.low and b.low_inclusive = 1))
  and (b.high is null or i.value < b.high or (i.value = b.high and b.high_inclusive = 1))
  and (b.low_2 is null or i.value_2 > b.low_2 or (i.value_2 = b.low_2 and b.low_2_inclusive = 1))
  and (b.high_2 is null or i.value_2 < b.high_2 or (i.value_2 = b.high_2 and b.high_2_inclusive = 1))
group by all;
