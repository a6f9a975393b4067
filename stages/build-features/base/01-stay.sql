-- One row per stay of the cohort with its windows, all half-open [from, window_end).
-- benchmark: t0 = intime cut to the minute, every window is [t0, t0 + 24 h); laboratory values may start earlier by lab_lookback_hours.
-- oracle: mimic-code compares with the raw intime, starts vital signs 6 h earlier and includes the last instant,
-- which is what the added microsecond says.
create table stay as
select
  c.stay_id, c.subject_id, c.hadm_id, c.admittime, c.dischtime, c.intime, c.outtime,
  case when s.is_oracle then c.intime else c.t0 end as t0,
  case when s.is_oracle then c.intime - interval 6 hour else c.t0 end as chart_from,
  case when s.is_oracle then c.intime else c.t0 end - to_minutes(cast(s.lab_lookback_minutes as bigint)) as lab_from,
  case when s.is_oracle then c.intime + interval 24 hour + interval 1 microsecond else c.t0 + interval 24 hour end as window_end,
  -- An instant in which a value must have been filed; never reached when availability is charttime.
  case
    when not s.is_storetime then timestamp '9999-12-31 00:00:00'
    when s.is_oracle then c.intime + interval 24 hour + interval 1 microsecond
    else c.t0 + interval 24 hour
  end as filed_before,
  -- min(24, los): length of stay as in icustays, from intime with its seconds.
  least(24.0, greatest(0.0, epoch(c.outtime - c.intime) / 3600.0)) as hours_observed
from cohort c cross join setting s;
