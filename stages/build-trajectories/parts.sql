-- Pieces of events: an event is what shares admission, kind and event_key.
create table parts (
  hadm_id integer,
  kind varchar,
  event_key varchar,
  available_at timestamp,
  charted_at timestamp,
  -- What stands before the first piece.
  lead varchar,
  part_order varchar,
  -- What stands before a piece that is not the first.
  separator varchar,
  text varchar,
  is_item boolean,
  itemid integer,
  label varchar,
  value varchar,
  valuenum double,
  unit varchar,
  flag varchar,
  is_shown boolean,
  order_id varchar,
  source_table varchar,
  source_key varchar
)
