-- F042 to F051: time to the ICU, emergency department, earlier admissions and stays, hour of day.
-- F042 keeps negatives: intime can lie before admittime. Sine and cosine of the hour are tabulated so that no maths library decides a digit.
with earlier as (
  select
    s.stay_id,
    count(a.hadm_id) as hosp_n,
    count(a.hadm_id) filter (where a.dischtime >= s.admittime - interval 365 day) as hosp_365d_n,
    max(a.dischtime) as last_dischtime
  from stay s left join admissions a
    on a.subject_id = s.subject_id and a.hadm_id <> s.hadm_id and a.dischtime <= s.admittime
  group by s.stay_id
), icu as (
  select
    s.stay_id,
    count(i.stay_id) filter (where i.outtime <= s.intime and i.stay_id <> s.stay_id) as icu_n,
    -- dense_rank of intime within the admission: one more than the number of distinct earlier intimes.
    1 + count(distinct i.intime) filter (where i.hadm_id = s.hadm_id and i.intime < s.intime) as sequence
  from stay s left join icustays i on i.subject_id = s.subject_id
  group by s.stay_id
), clock as (
  select stay_id, hour(intime) as h,
    [0.0, 0.25881904510252074, 0.5, 0.7071067811865476, 0.8660254037844386, 0.9659258262890683, 1.0] as quarter
  from stay
), basis as (
  select
    s.stay_id, s.admittime, s.intime, a.edregtime, a.edouttime, e.hosp_n, e.hosp_365d_n, e.last_dischtime, i.icu_n, i.sequence,
    -- sin(2 pi h / 24) by quarters of the day; the cosine is the sine six hours later.
    case when c.h <= 6 then quarter[c.h + 1] when c.h <= 12 then quarter[13 - c.h] when c.h <= 18 then 0.0 - quarter[c.h - 11]
      else 0.0 - quarter[25 - c.h] end as sine,
    case when c.h <= 6 then quarter[7 - c.h] when c.h <= 12 then 0.0 - quarter[c.h - 5] when c.h <= 18 then 0.0 - quarter[19 - c.h]
      else quarter[c.h - 17] end as cosine
  from stay s
  join admissions a on a.hadm_id = s.hadm_id
  join earlier e on e.stay_id = s.stay_id
  join icu i on i.stay_id = s.stay_id
  join clock c on c.stay_id = s.stay_id
)
select stay_id, 'F042' as feature_id, epoch(intime - admittime) / 3600 as value from basis
union all
select stay_id, 'F043', case when edregtime is null then 0.0 else epoch(edouttime - edregtime) / 3600 end from basis
union all
select stay_id, 'F044', case when edregtime is null then 0.0 else 1.0 end from basis
union all
select stay_id, 'F045', cast(sequence as double) from basis
union all
select stay_id, 'F046', cast(hosp_n as double) from basis
union all
select stay_id, 'F047', cast(hosp_365d_n as double) from basis
union all
select stay_id, 'F048', cast(icu_n as double) from basis
union all
select stay_id, 'F049', case when last_dischtime is not null then least(epoch(admittime - last_dischtime) / 86400, 3650.0) end from basis
union all
select stay_id, 'F050', sine + 0.0 from basis
union all
select stay_id, 'F051', cosine + 0.0 from basis
