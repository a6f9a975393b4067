-- Highest rate of a vasoactive drug in the window; null when it was not infused.
select p.stay_id, r.feature_id, max(p.rate) as value
from pressor p join pressor_rule r on r.drug = p.drug
group by p.stay_id, r.feature_id
