-- The answers are all orders of the moment that are decisions, new or not.
create table timepoint_orders as
select
  d.timepoint_id, j.order_id, j.drug, j.drug_fold, j.dose_text, j.route,
  j.non_decision_reason is null as is_answer,
  j.non_decision_reason,
  case
    when j.continuation_reason is not null then 'CONTINUATION'
    when j.routine_reason is not null then 'ROUTINE'
    else 'NEW'
  end as prior_class,
  coalesce(j.continuation_reason, j.routine_reason) as prior_reason
from drawn d
join judged j on j.hadm_id = d.hadm_id and j.moment_at = d.moment_at
where d.is_drawn
