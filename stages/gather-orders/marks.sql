-- What an order is not: no decision, or no new one. Each mark names the first reason that holds.
create table orders as
with stated as (
  select
    o.*, r.drug_fold, r.route_class, r.dose_low, r.dose_high, r.dose_text, r.dose_key, r.is_bag, r.routine_reason,
    case
      when r.name_reason is not null then r.name_reason
      when o.starttime < o.admittime or o.starttime > o.dischtime then 'outside_admission'
      when o.is_stop_before_start and o.is_administered is false then 'stop_before_start'
      when o.discontinued_at <= coalesce(o.ordertime, o.starttime) + to_minutes($withdrawn_minutes)
        and o.is_administered is not true then 'withdrawn'
    end as reason
  from read_orders o
  join readings r
    on r.drug = o.drug and r.route is not distinct from o.route
    and r.dose_val_rx is not distinct from o.dose_val_rx and r.dose_unit_rx is not distinct from o.dose_unit_rx
    and r.form_unit_disp is not distinct from o.form_unit_disp and r.frequency is not distinct from o.frequency
),
once as (
  -- One order of several that say the same at the same time: the one that was written first stays, not its re-entry.
  select *,
    coalesce(reason, case when row_number() over (
      partition by hadm_id, starttime, drug_fold, route_class, dose_key, reason
      order by coalesce(ordertime, starttime), order_id) > 1
      then 'duplicate' end) as non_decision_reason
  from stated
),
spans as (
  -- Until when an order was active; an unknown end says no more than that it was active at its start.
  select *,
    greatest(starttime, coalesce(least(stoptime, discontinued_at), starttime)) as active_until,
    coalesce(non_decision_reason not in ('withdrawn', 'stop_before_start'), true) as was_active
  from once
),
before as (
  select *,
    max(case when was_active then active_until end) over (
      partition by hadm_id, drug_fold, route_class, dose_key order by starttime
      range between unbounded preceding and interval 1 microsecond preceding) as last_active_until
  from spans
),
changed as (
  -- A change order that changes neither drug nor dose nor route.
  select distinct n.order_id
  from stated n
  join stated p
    on p.poe_id = n.discontinue_of_poe_id and p.hadm_id = n.hadm_id and p.drug_fold = n.drug_fold
    and p.route_class is not distinct from n.route_class and p.dose_key = n.dose_key
  where n.transaction_type = 'Change'
)
select
  b.order_id, subject_id, hadm_id, pharmacy_id, poe_id, starttime, stoptime, ordertime, decided_at, drug, drug_fold,
  dose_val_rx, dose_unit_rx, dose_low, dose_high, dose_text, route, route_class, frequency, is_bag, components,
  transaction_type, discontinued_at, is_administered, non_decision_reason,
  case
    when ordertime > starttime + to_minutes($reentry_minutes) then 'reentry'
    when last_active_until >= starttime - to_hours($active_hours) then 'same_within_24h'
    when c.order_id is not null then 'change_without_change'
  end as continuation_reason,
  routine_reason, source_rows
from before b
left join changed c on c.order_id = b.order_id
