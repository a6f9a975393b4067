-- Charted values by the hour in which they were charted and the hour in which they were filed: of every vital sign the
-- last value, of every output the sum. What is filed late is an event of its own, so that it holds nothing back.
insert into parts
with timed as (
  select
    'vital' as kind, 'chartevents' as source_table, c.hadm_id, c.stay_id, c.itemid, c.charttime, c.valuenum,
    c.value as recorded, greatest(c.charttime, c.storetime) as available_at
  from chartevents c
  union all
  -- The same amount of the same item at the same time is one amount (P46).
  select 'output', 'outputevents', hadm_id, stay_id, itemid, charttime, value, null, max(greatest(charttime, storetime))
  from outputevents
  group by hadm_id, stay_id, itemid, charttime, value
),
measured as (
  select t.*, i.label, i.unit, i.order_n,
    date_trunc('hour', t.charttime) as hour, date_trunc('hour', t.available_at) as filed_hour,
    'stay_id=' || t.stay_id || ';charttime=' || t.charttime || ';itemid=' || t.itemid as row_key
  from timed t
  join windows w on w.hadm_id = t.hadm_id and w.is_sampled
  join charted i on i.itemid = t.itemid and i.kind = t.kind
  where t.valuenum between i.low and i.high
),
last_values as (
  select kind, source_table, hadm_id, itemid, label, unit, order_n, hour, filed_hour, charttime, available_at, recorded,
    valuenum, row_key as source_key
  from measured
  where kind = 'vital'
  qualify row_number() over (
    partition by hadm_id, itemid, hour, filed_hour
    order by charttime desc, available_at desc, stay_id, valuenum desc, recorded) = 1
),
sums as (
  select kind, source_table, hadm_id, itemid, label, unit, order_n, hour, filed_hour, max(charttime), max(available_at),
    null, list_sum(list(valuenum order by valuenum)), string_agg(distinct row_key, ' + ' order by row_key)
  from measured
  where kind = 'output'
  group by all
),
told as (
  -- Verbal response of an intubated patient carries the number 1, but it was not testable (P40).
  select *,
    itemid = 223900 and coalesce(recorded ilike '%ETT%', false) as is_untestable,
    regexp_replace(round(valuenum, 2)::varchar, '\.0$', '') as number
  from (select * from last_values union all select * from sums)
)
select
  hadm_id, kind, 'hour ' || hour || ' filed ' || filed_hour as event_key, available_at, charttime as charted_at,
  '' as lead, lpad(order_n::varchar, 4, '0') as part_order, ', ' as separator,
  label || ' ' || case when is_untestable then 'not testable (tube)' else number || coalesce(' ' || unit, '') end as text,
  true as is_item, itemid, label,
  case when is_untestable then 'not testable (tube)' else number end as value,
  case when not is_untestable then valuenum end as valuenum,
  unit, null as flag, true as is_shown, null as order_id, source_table, source_key
from told
