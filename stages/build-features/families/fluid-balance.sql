-- F376 all outputs, F416 all inputs in mL, F417 their difference.
-- Main and mixed components of one order and interval share a volume: the mixed solution is dropped where the main component is in
-- mL. An additive has a volume of its own (in the open demo totalamount is main + additive). Outputs are in mL with the irrigant netted.
-- F417 needs both sides, each within its limits.
with given as (
  select i.*, i.amount * u.factor as ml,
    trim(i.ordercomponenttypedescription) = 'Mixed solution' as is_mixed,
    bool_or(trim(i.ordercomponenttypedescription) = 'Main order parameter') over (
      partition by stay_id, orderid, starttime, endtime) as has_main
  from input_row i join input_unit u on u.unit = 'mL' and lower(u.amountuom) = lower(trim(i.amountuom))
  where i.why_not is null and i.amount is not null
), inputs as (
  select stay_id, sum(ml * share order by starttime, endtime, itemid, orderid, ml) as ml from given
  where not coalesce(is_mixed and has_main, false)
  group by stay_id
), outputs as (
  select stay_id, sum(ml order by charttime, itemid, ml) as ml from output_row where why_not is null group by stay_id
)
select stay_id, 'F376' as feature_id, ml as value from outputs
union all
select stay_id, 'F416', ml from inputs
union all
select i.stay_id, 'F417', i.ml - o.ml
from inputs i join outputs o on o.stay_id = i.stay_id
join feature_limit li on li.feature_id = 'F416' join feature_limit lo on lo.feature_id = 'F376'
where i.ml between li.low and li.high and o.ml between lo.low and lo.high
