-- Coded procedures are known from the end of their date (P16). A charted procedure that lasts is filed when it ends, but
-- it is seen from its start; one without length is seen when it is filed. Ventilation and dialysis also end.
insert into parts
with charted_procedures as (
  select p.*, coalesce(trim(d.label), 'Procedure ' || p.itemid) as name,
    p.endtime > p.starttime + interval 1 minute as is_lasting,
    not exists (select 1 from hidden_procedures h
      where h.ordercategoryname = p.ordercategoryname or h.itemid = p.itemid) as is_shown,
    'orderid=' || p.orderid || ';itemid=' || p.itemid || ';starttime=' || p.starttime as source_key
  from procedureevents p
  join windows w on w.hadm_id = p.hadm_id and w.is_sampled
  left join d_items d on d.itemid = p.itemid
  where p.statusdescription <> 'Rewritten'
)
select
  p.hadm_id, 'procedure', 'coded ' || p.seq_num, p.chartdate + interval 1 day, null::timestamp, '', '', '',
  coalesce(trim(d.long_title), 'ICD-' || p.icd_version || ' procedure ' || p.icd_code),
  false, null, null, null, null, null, null, true, null, 'procedures_icd',
  'hadm_id=' || p.hadm_id || ';seq_num=' || p.seq_num
from procedures_icd p
join windows w on w.hadm_id = p.hadm_id and w.is_sampled
left join d_icd_procedures d on d.icd_code = p.icd_code and d.icd_version = p.icd_version
union all
select
  hadm_id, 'procedure', 'start ' || source_key,
  case when is_lasting then starttime else greatest(starttime, storetime) end, starttime, '', source_key, ', ',
  name, true, itemid, name, 'started', null, null, null, is_shown, null, 'procedureevents', source_key
from charted_procedures
union all
-- 225792 and 225794 are ventilation, 225802 and 225441 dialysis.
select
  hadm_id, 'procedure', 'end ' || source_key, endtime, endtime, '', source_key, ', ',
  name || ' ended', true, itemid, name, 'ended', null, null, null, is_shown, null, 'procedureevents', source_key
from charted_procedures
where is_lasting and itemid in (225792, 225794, 225802, 225441)
