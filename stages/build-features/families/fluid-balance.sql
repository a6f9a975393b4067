-- F376 all outputs, F416 all inputs in mL, F417 their difference.
-- Main and mixed components of one order share a volume: a row that repeats the volume of another component of the same order
-- and interval is dropped. Outputs are in mL with the irrigant netted.
with given as (
  select i.*, i.amount * u.factor as ml,
    row_number() over (
      partition by stay_id, orderid, starttime, endtime, i.amount * u.factor
      order by case when trim(i.ordercomponenttypedescription) = 'Main order parameter' then 0 else 1 end, itemid) as place
  from input_row i join input_unit u on u.unit = 'mL' and lower(u.amountuom) = lower(trim(i.amountuom))
  where i.why_not is null and i.amount is not null
), inputs as (
  select stay_id, sum(ml * share order by starttime, endtime, itemid, orderid, ml) as ml from given where place = 1 group by stay_id
), outputs as (
  select stay_id, sum(ml order by charttime, itemid, ml) as ml from output_row where why_not is null group by stay_id
)
select stay_id, 'F376' as feature_id, ml as value from outputs
union all
select stay_id, 'F416', ml from inputs
union all
select i.stay_id, 'F417', i.ml - o.ml from inputs i join outputs o on o.stay_id = i.stay_id
