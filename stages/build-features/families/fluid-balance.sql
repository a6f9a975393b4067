-- F376 all outputs, F416 all inputs in mL, F417 their difference.
-- Main and mixed components of one order and interval share a volume: the mixed solution is dropped where the main component is in
-- mL. An additive has a volume of its own (in the open demo totalamount is main + additive). Outputs are in mL with the irrigant netted.
-- F417 needs both sides, each within its limits.
with given as (
  select i.stay_id, i.orderid, i.starttime, i.endtime, i.amount * u.factor * i.share as ml,
    trim(i.ordercomponenttypedescription) as component
  from input_row i join input_unit u on u.unit = 'mL' and lower(u.amountuom) = lower(trim(i.amountuom))
  where i.why_not is null and i.amount is not null
), main as (
  select distinct stay_id, orderid, starttime, endtime from given where component = 'Main order parameter'
), counted as (
  select stay_id, ml from given where component is distinct from 'Mixed solution'
  union all
  select g.stay_id, g.ml from (select * from given where component = 'Mixed solution') g
  anti join main m on m.stay_id = g.stay_id and m.orderid = g.orderid and m.starttime = g.starttime and m.endtime = g.endtime
), inputs as (
  select stay_id, exact_sum(ml) as ml from counted group by stay_id
), outputs as (
  select stay_id, exact_sum(ml) as ml from output_row where why_not is null group by stay_id
)
select stay_id, 'F376' as feature_id, ml as value from outputs
union all
select stay_id, 'F416', ml from inputs
union all
select i.stay_id, 'F417', i.ml - o.ml
from inputs i join outputs o on o.stay_id = i.stay_id
join feature_limit li on li.feature_id = 'F416' join feature_limit lo on lo.feature_id = 'F376'
where i.ml between li.low and li.high and o.ml between lo.low and lo.high
