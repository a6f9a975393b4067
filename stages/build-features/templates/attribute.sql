-- 1 when a text of the patient, admission, stay or service fits the rule, else 0; an unknown text fits nothing but "everything else".
-- Null only where there is no such row at all (no service before the ICU).
with compared as (
  select r.feature_id, a.attribute, a.folded,
    case when regexp_matches(a.folded, r.pattern) <> r.is_negated then 1.0 else 0.0 end as value
  from (select distinct attribute, folded from attribute_row) a join attribute_rule r on r.attribute = a.attribute
)
select a.stay_id, c.feature_id, c.value
from attribute_row a join compared c on c.attribute = a.attribute and c.folded = a.folded
