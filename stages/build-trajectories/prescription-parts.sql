-- Orders, from when they were written. One that was entered again is on record from then, not from its old start. What
-- is no order in the eyes of a reader (said twice, withdrawn, a flush, a carrier) is kept and not shown.
insert into parts
select
  hadm_id, 'prescription', 'order ' || order_id, coalesce(ordertime, starttime), starttime, '', '', '',
  concat_ws('; ', trim(drug), dose_text, trim(route)),
  false, null, null, null, null, null, null,
  coalesce(non_decision_reason not in ('duplicate', 'withdrawn', 'stop_before_start', 'flush', 'diluent'), true),
  order_id, 'prescriptions', substr(source_rows->>0, length('prescriptions:') + 1)
from orders
