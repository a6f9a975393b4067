-- Results under an itemid that carries label, fluid and category of a registry item but is not read by the registry:
-- the item has moved (P21), or it is a twin that the registry has not decided on. Guessing would mix assays.
select
  r.record,
  'reject' as verdict,
  'itemid_moved' as reason,
  'itemid' as field,
  r.itemid::varchar as got,
  'itemid ' || m.itemid || ' (' || m.label || ', ' || m.fluid || ', ' || m.category || ')' as expected
from good r
join moved_items m on m.other = r.itemid
