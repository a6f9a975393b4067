-- 1 when a text of the patient, admission, stay or service fits the rule, else 0; an unknown text fits nothing but "everything else".
-- Null only where there is no such row at all (no service before the ICU).
select a.stay_id, r.feature_id,
  case when regexp_matches(a.folded, r.pattern) <> r.is_negated then 1.0 else 0.0 end as value
from attribute_row a join attribute_rule r on r.attribute = a.attribute
