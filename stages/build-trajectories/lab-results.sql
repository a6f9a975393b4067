-- One row per laboratory result of a sampled admission with the text that is shown.
-- P numbers: column pitfall of raw/mimic/synthetic/dirty_rows.csv.
create table lab_results as
with candidates as (
  select * from labevents
  where subject_id in (select subject_id from sampled_admissions)
    and itemid not in (select itemid from skipped_labs)
),
held as (
  select l.labevent_id, w.hadm_id
  from candidates l
  join windows w on w.subject_id = l.subject_id and l.charttime between w.opens_at and coalesce(w.closes_at, l.charttime)
  where l.hadm_id is null
  qualify row_number() over (partition by l.labevent_id order by w.admittime desc, w.hadm_id desc) = 1
),
placed as (
  select l.* exclude (hadm_id), w.hadm_id
  from candidates l
  left join held h on h.labevent_id = l.labevent_id
  join windows w on w.hadm_id = coalesce(l.hadm_id, h.hadm_id)
  where w.is_sampled
    and l.charttime between w.takes_from and coalesce(w.takes_to, l.charttime)
),
told as (
  -- The number, with the text of the file where it says the same; else the text; else what opens the comment
  -- (P27 to P29): up to the first full stop, without stars.
  select *,
    case
      when valuenum is not null and try_cast(trim(value) as double) = valuenum then trim(value)
      when valuenum is not null then regexp_replace(valuenum::varchar, '\.0$', '')
      when trim(value) not in ('', '___') then lab_token(value)
      else lab_token(comments)
    end as result,
    greatest(charttime, storetime) as available_at
  from placed
),
sound as (
  select t.*,
    case
      when result is null or result in ('', '___') or length(result) > 30 then 'no_result'
      when valuenum is null and exists (
        select 1 from no_results n where regexp_matches(lower(result), n.pattern)) then 'no_result'
      when valuenum < b.low or valuenum > b.high then 'implausible'
    end as fault
  from told t
  left join lab_bounds b on b.itemid = t.itemid
),
latest as (
  -- Of several rows of one specimen and item the last filed is right (P25).
  select *,
    row_number() over (
      partition by hadm_id, specimen_id, itemid order by fault is null desc, available_at desc, labevent_id desc) as nth
  from sound
)
select * exclude (fault, nth), coalesce(fault, case when nth > 1 then 'corrected' end) as fault from latest
