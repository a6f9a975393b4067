-- The results of an admission as parts of events. A result is shown when it is abnormal, the first of its item, or
-- normal again; what is shown depends on earlier results only.
insert into parts
with results as (
  select r.*,
    flag is not distinct from 'abnormal' as is_abnormal,
    case
      when flag is distinct from 'abnormal' then ''
      when valuenum < ref_range_lower then ' (low)'
      when valuenum > ref_range_upper then ' (high)'
      else ' (abnormal)'
    end as mark,
    coalesce(trim(d.label), 'item ' || r.itemid)
      || case when d.fluid in ('Blood', 'Q', 'I', 'fluid') or d.fluid is null then '' else ' (' || lower(d.fluid) || ')' end
      as name,
    -- A word has no unit, whatever stands in the column.
    case when valuenum is not null or regexp_matches(result, '^[<>]') then nullif(nullif(trim(valueuom), ''), 'N/A') end
      as unit
  from lab_results r
  left join d_labitems d on d.itemid = r.itemid
  where r.fault is null
),
seen as (
  select *,
    lag(is_abnormal) over w as was_abnormal,
    row_number() over w = 1 as is_first
  from results
  window w as (partition by hadm_id, itemid order by available_at, charttime, labevent_id)
)
select
  hadm_id,
  'lab' as kind,
  case $event_unit
    when 'row' then 'row ' || labevent_id
    when 'day' then 'day ' || charttime::date
    else 'draw ' || charttime || ' ' || available_at
  end as event_key,
  available_at, charttime as charted_at,
  '' as lead,
  lower(name) || chr(31) || charttime || chr(31) || lpad(labevent_id::varchar, 12, '0') as part_order,
  ', ' as separator,
  name || ' ' || result || coalesce(' ' || unit, '') || mark as text,
  true as is_item,
  itemid, name as label, result as value, valuenum, unit,
  case when is_abnormal then 'abnormal' end as flag,
  $lab_filter = 'all' or is_abnormal or is_first or coalesce(was_abnormal, false) as is_shown,
  null as order_id,
  'labevents' as source_table,
  'labevent_id=' || labevent_id as source_key
from seen
