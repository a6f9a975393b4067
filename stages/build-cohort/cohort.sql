-- The stays that are left. t0, the anchor of all windows, is intime cut to the minute, since charted times carry no
-- seconds (P86). hours_observed says how much of the first 24 hours after t0 the stay covers.
create table cohort as
select
  stay_id, subject_id, hadm_id, admittime, dischtime, intime, outtime,
  date_trunc('minute', intime) as t0,
  least(24.0::double, date_diff('second', date_trunc('minute', intime), outtime)::double / 3600) as hours_observed
from judged
where reason is null
