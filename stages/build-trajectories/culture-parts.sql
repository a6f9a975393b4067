-- Cultures: one event for what was filed at one time about one test of one specimen, so that a preliminary and a final
-- result are two. A draw of which only the date is known lies at the end of that date (P49).
insert into parts
with candidates as (
  select m.*,
    coalesce(m.charttime, m.chartdate + interval 1 day) as taken_at,
    -- 90760 is CANCELLED; 90856 stands for a negative screen and is no organism (P81).
    case when m.org_itemid not in (90760, 90856) then m.org_name end as organism
  from microbiologyevents m
  where m.subject_id in (select subject_id from sampled_admissions)
),
held as (
  select c.microevent_id, w.hadm_id
  from candidates c
  join windows w on w.subject_id = c.subject_id and c.taken_at between w.opens_at and coalesce(w.closes_at, c.taken_at)
  where c.hadm_id is null
  qualify row_number() over (partition by c.microevent_id order by w.admittime desc, w.hadm_id desc) = 1
),
placed as (
  select c.* exclude (hadm_id), w.hadm_id,
    greatest(c.taken_at, coalesce(c.storetime, c.storedate + interval 1 day)) as available_at,
    trim(regexp_replace(regexp_replace(c.comments, '_{2,}', ' ', 'g'), '\s+', ' ', 'g')) as remark
  from candidates c
  left join held h on h.microevent_id = c.microevent_id
  join windows w on w.hadm_id = coalesce(c.hadm_id, h.hadm_id) and w.is_sampled
  where coalesce(c.storetime, c.storedate) is not null
),
kept as (
  select *,
    'specimen ' || micro_specimen_id || ' test ' || coalesce(test_itemid::varchar, '') || ' ' || test_seq || ' '
      || available_at as event_key,
    concat_ws(', ', trim(spec_type_desc), trim(test_name)) as name,
    chr(32 + least(coalesce(isolate_num, 0), 90)) || coalesce(organism, '') as isolate
  from placed
  where org_itemid is distinct from 90760 and not coalesce(regexp_matches(lower(remark), 'cancel+ed'), false)
),
organisms as (
  select hadm_id, event_key, available_at, min(taken_at) as taken_at, name, isolate,
    coalesce(organism, nullif(min(remark), ''), min(org_name)) as found,
    organism is not null as is_organism,
    min(org_itemid) as org_itemid, min(microevent_id) as microevent_id
  from kept
  group by hadm_id, event_key, available_at, name, isolate, organism
),
resistance as (
  select hadm_id, event_key, available_at, taken_at, name, isolate, ab_itemid, ab_name, interpretation, dilution_text,
    microevent_id
  from kept
  where organism is not null and ab_name is not null
)
select
  hadm_id, 'culture', event_key, available_at, taken_at, name || ':', isolate || chr(31), '; ', found,
  true, org_itemid, name, found, null, null, null, true, null, 'microbiologyevents', 'microevent_id=' || microevent_id
from organisms
where found is not null
union all
select
  hadm_id, 'culture', event_key, available_at, taken_at, name || ':', isolate || chr(31) || ab_name || microevent_id, ', ',
  ab_name || coalesce(' ' || interpretation, ' not interpreted'),
  true, ab_itemid, ab_name, coalesce(interpretation, 'not interpreted'), null, null, interpretation, true, null,
  'microbiologyevents', 'microevent_id=' || microevent_id
from resistance
