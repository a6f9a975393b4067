-- 1 when an earlier admission of the patient carries a code of the group (no group: any code at all), else 0.
-- No earlier admission gives 0; F086 tells that apart.
with hits as (
  select distinct d.stay_id, r.feature_id
  from prior_dx d join group_rule r
    on r.group_name is null or (r.group_name = d.group_name and r.system = d.system)
)
select s.stay_id, r.feature_id, case when h.stay_id is not null then 1.0 else 0.0 end as value
from group_rule r
cross join stay s
left join hits h on h.stay_id = s.stay_id and h.feature_id = r.feature_id
