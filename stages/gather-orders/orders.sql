-- One row per MAIN order of a sampled admission, with its links and how its words read.
-- P numbers: column pitfall of raw/mimic/synthetic/dirty_rows.csv.
create table read_orders as
with given as (
  -- The eMAR names the pharmacy order, the provider order, or both; it is missing for many admissions (P58).
  select distinct e.pharmacy_id from emar e semi join given_events g on g.event_txt = trim(e.event_txt)
  where e.pharmacy_id is not null
),
given_poe as (
  select distinct e.poe_id from emar e semi join given_events g on g.event_txt = trim(e.event_txt)
  where e.pharmacy_id is null and e.poe_id is not null
),
charted as (select distinct hadm_id from emar where hadm_id is not null),
components as (
  select pharmacy_id, list(drug order by drug_type, drug) as drugs
  from prescriptions where drug_type <> 'MAIN' and hadm_id in (select hadm_id from sampled_admissions)
  group by pharmacy_id
),
ordered as (
  select
    p.subject_id, p.hadm_id, p.pharmacy_id, p.poe_id, p.starttime,
    -- A stop before the start is no stop (P48); that it was written so is kept for the marks.
    case when p.stoptime >= p.starttime then p.stoptime end as stoptime,
    coalesce(p.stoptime < p.starttime, false) as is_stop_before_start,
    o.ordertime, o.transaction_type, o.discontinue_of_poe_id,
    d.ordertime as discontinued_at,
    p.drug, p.dose_val_rx, p.dose_unit_rx, p.form_unit_disp, p.route, f.frequency,
    a.admittime, a.dischtime,
    coalesce(to_json(c.drugs), '[]')::varchar as components,
    case
      when g.pharmacy_id is not null or gp.poe_id is not null then true
      when ch.hadm_id is not null then false
    end as is_administered,
    to_json(list_filter([
      'prescriptions:pharmacy_id=' || p.pharmacy_id || ';drug_type=MAIN;drug=' || p.drug,
      'pharmacy:pharmacy_id=' || f.pharmacy_id,
      'poe:poe_id=' || o.poe_id,
      'poe:poe_id=' || d.poe_id
    ], k -> k is not null))::varchar as source_rows
  from prescriptions p
  join sampled_admissions a on a.hadm_id = p.hadm_id
  left join pharmacy f on f.pharmacy_id = p.pharmacy_id
  left join poe o on o.poe_id = p.poe_id
  left join poe d on d.poe_id = o.discontinued_by_poe_id
  left join components c on c.pharmacy_id = p.pharmacy_id
  left join given g on g.pharmacy_id = p.pharmacy_id
  left join given_poe gp on gp.poe_id = p.poe_id
  left join charted ch on ch.hadm_id = p.hadm_id
  where p.drug_type = 'MAIN'
)
select
  'O' || substr(sha256(concat_ws(chr(31), 'order', hadm_id, pharmacy_id, drug, starttime)), 1, 12) as order_id,
  *,
  -- From the earlier of the two on the order is part of the record (P87).
  least(starttime, ordertime) as decided_at
from ordered
