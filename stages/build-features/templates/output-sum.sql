-- Sum of outputs in the window, mL. Null when none was charted.
select o.stay_id, r.feature_id, exact_sum(o.ml) as value
from output_row o join output_item r on r.itemid = o.itemid
where o.why_not is null
group by o.stay_id, r.feature_id
