-- Sum of amounts given in the window, infusions prorated by overlap, in the unit of the feature (data/input-units.csv).
-- KCl and magnesium boluses charted as a volume (227522, 227523) have no amount of the drug and are left out by their rules.
select i.stay_id, r.feature_id,
  exact_sum(i.amount * u.factor * i.share) as value
from input_row i
join input_item r on r.itemid = i.itemid and r.operation = 'sum'
join input_unit u on u.unit = r.unit and lower(u.amountuom) = lower(trim(i.amountuom))
where i.why_not is null and i.amount is not null
group by i.stay_id, r.feature_id
