create table event_items as
select
  'E' || substr(sha256(concat_ws(chr(31), 'event', hadm_id, kind, event_key)), 1, 12) as event_id,
  (row_number() over (partition by hadm_id, kind, event_key order by part_order, source_key))::integer as item_n,
  itemid, label, value, valuenum, unit, flag, is_shown, source_key
from parts
where is_item
