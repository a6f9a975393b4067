-- 1 when a text that fits the rule was charted in the window; 0 when the stay has charted rows but none that fits.
with hits as (select distinct stay_id, feature_id from text_row where why_not is null)
select p.stay_id, r.feature_id, case when h.stay_id is not null then 1.0 when p.has_chart then 0.0 end as value
from (select distinct feature_id from text_item) r
cross join presence p
left join hits h on h.stay_id = p.stay_id and h.feature_id = r.feature_id
