-- Parts to events: an event is available when all of its parts are.
create table events as
select
  'E' || substr(sha256(concat_ws(chr(31), 'event', p.hadm_id, p.kind, p.event_key)), 1, 12) as event_id,
  min(s.subject_id) as subject_id, p.hadm_id, p.kind,
  max(p.available_at) as available_at,
  max(p.charted_at) as charted_at,
  -- Only what is shown; the whole of an event of which nothing is.
  trim(max(p.lead) || ' ' || regexp_replace(
    string_agg(p.separator || p.text, '' order by p.part_order) filter (p.is_shown or not g.is_shown),
    '^[,;]? ?\n?', '')) as text,
  max(p.order_id) as order_id,
  bool_or(p.is_shown) as is_shown,
  max(p.source_table) as source_table,
  to_json(list(distinct p.source_key order by p.source_key))::varchar as source_keys
from parts p
join (select hadm_id, kind, event_key, bool_or(is_shown) as is_shown from parts group by all) g
  on g.hadm_id = p.hadm_id and g.kind = p.kind and g.event_key = p.event_key
join sampled_admissions s on s.hadm_id = p.hadm_id
group by p.hadm_id, p.kind, p.event_key
