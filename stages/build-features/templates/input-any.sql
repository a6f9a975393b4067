-- Whether a drug was given in the window (an amount above 0, a rate, or both), or how many of a list; 0 when the stay has other inputs.
with hits as (
  select i.stay_id, r.feature_id, count(distinct i.itemid) as items_n
  from input_row i join input_item r on r.itemid = i.itemid and r.operation <> 'sum'
  where i.why_not is null
    and case r.given
      when 'amount' then coalesce(i.amount > 0, false)
      when 'rate' then i.rate is not null
      else i.rate is not null and coalesce(i.amount > 0, false) end
  group by i.stay_id, r.feature_id
)
select p.stay_id, r.feature_id,
  case
    when h.items_n is null then case when p.has_input then 0.0 end
    when r.operation = 'any' then 1.0
    else cast(h.items_n as double)
  end as value
from (select distinct feature_id, operation from input_item where operation <> 'sum') r
cross join presence p
left join hits h on h.stay_id = p.stay_id and h.feature_id = r.feature_id
