-- Every order with its moment and the step of the funnel that takes it away, or null for a new decision.
-- A home drug that is first ordered within a day of the admission at the dose of the list is continued.
create table judged as
with first_orders as (
  select order_id from orders
  qualify row_number() over (partition by hadm_id, drug_fold order by starttime, order_id) = 1
),
marked as (
  select
    o.order_id, o.hadm_id, o.subject_id, o.drug, o.drug_fold, o.dose_text, o.route, o.starttime, o.decided_at,
    o.non_decision_reason, o.routine_reason, s.split,
    coalesce(o.continuation_reason, case when h.hadm_id is not null then 'home_list' end) as continuation_reason,
    t.moment_at
  from orders o
  join sampled_admissions s on s.hadm_id = o.hadm_id
  join order_times t on t.hadm_id = o.hadm_id
    and t.time_at = case when $group_window = 'ordertime' then coalesce(o.ordertime, o.starttime) else o.starttime end
  join order_doses d
    on d.dose_val_rx is not distinct from o.dose_val_rx and d.dose_unit_rx is not distinct from o.dose_unit_rx
  left join first_orders f on f.order_id = o.order_id
  left join home_list h
    on f.order_id is not null and h.hadm_id = o.hadm_id and h.drug_fold = o.drug_fold and h.dose_key = d.dose_key
    and o.starttime <= s.admittime + interval 24 hour
)
select
  *,
  case
    when non_decision_reason is not null then 1
    when continuation_reason = 'reentry' then 2
    when continuation_reason = 'home_list' then 4
    when continuation_reason is not null then 3
    when routine_reason is not null then 5
  end as lost_at
from marked
