-- Whether a procedure overlaps the window or starts in it, or how many start in it; 0 when the stay has other procedures.
with hits as (
  select p.stay_id, r.feature_id, cast(count(*) as double) as n
  from procedure_row p join procedure_item r on r.itemid = p.itemid
  where p.why_not is null and (r."when" = 'overlap' or p.is_start_in_window)
  group by p.stay_id, r.feature_id
)
select p.stay_id, r.feature_id,
  case when h.n is null then case when p.has_procedure then 0.0 end when r.operation = 'any' then 1.0 else h.n end as value
from (select distinct feature_id, operation from procedure_item) r
cross join presence p
left join hits h on h.stay_id = p.stay_id and h.feature_id = r.feature_id
