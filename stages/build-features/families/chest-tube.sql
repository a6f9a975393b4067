-- F436: a chest tube is placed (225433) in the window, or chest tube output (the itemids of F369) is charted in it.
with hits as (
  select stay_id from procedure_row where itemid = 225433 and is_start_in_window and why_not is null
  union
  select o.stay_id from output_row o join output_item r on r.itemid = o.itemid and r.feature_id = 'F369' where o.why_not is null
)
select p.stay_id, 'F436' as feature_id,
  case when h.stay_id is not null then 1.0 when p.has_procedure or p.has_output then 0.0 end as value
from presence p left join hits h on h.stay_id = p.stay_id
