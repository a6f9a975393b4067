-- The rows behind features in one shape: where a row lies, what it says, what was made of it, and why it is not used (null = used).
create view trace_series as
select stay_id, series, 'chartevents' as source_table, itemid, null as row_key, charttime as "at", value, valuenum, valueuom as unit,
  num as used_value, why_not
from series_row;

create view trace_lab as
select
  r.stay_id, 'labevents' as source_table, r.itemid, cast(r.labevent_id as varchar) as row_key, r.charttime as "at",
  coalesce(r.value, r.result_text) as value, r.valuenum, r.valueuom as unit, r.converted as used_value,
  case
    when not r.in_window then 'before the window'
    when not r.is_available then 'filed after the window'
    when r.is_unit_refused then 'unit refused'
    when r.converted is null and r.itemid <> 52033 then 'no number'
    when l.labevent_id is null then 'another row of the specimen is used'
    when l.is_implausible then 'implausible'
  end as why_not
from lab_row r left join lab l on l.stay_id = r.stay_id and l.labevent_id = r.labevent_id;

create view trace_any_lab as
select
  s.stay_id, 'labevents' as source_table, e.itemid, cast(e.labevent_id as varchar) as row_key, e.charttime as "at",
  e.value, e.valuenum, e.valueuom as unit, e.valuenum as used_value,
  case when not coalesce(e.storetime, e.charttime) < s.filed_before then 'filed after the window' end as why_not
from labevents e join stay s on s.subject_id = e.subject_id
where e.charttime >= s.lab_from and e.charttime < s.window_end;

create view trace_text as
select stay_id, feature_id, 'chartevents' as source_table, itemid, null as row_key, charttime as "at", value, valuenum, valueuom as unit,
  case when why_not is null then 1.0 else 0.0 end as used_value, case when why_not = 'no text' then why_not end as why_not
from text_row;

create view trace_attribute as
select stay_id, attribute, source_table, null as itemid, attribute as row_key, null as "at", value, null as valuenum, null as unit,
  null as used_value, null as why_not
from attribute_row;

create view trace_diagnosis as
select stay_id, group_name, system, 'diagnoses_icd' as source_table, null as itemid, concat(hadm_id, '-', seq_num) as row_key, dischtime as "at",
  concat('ICD-', icd_version, ' ', icd_code) as value, null as valuenum, null as unit, 1.0 as used_value, null as why_not
from prior_dx_row;

create view trace_output as
select stay_id, 'outputevents' as source_table, itemid, null as row_key, charttime as "at", null as value, value as valuenum, valueuom as unit,
  ml as used_value, why_not
from output_row;

create view trace_urine as
select stay_id, 'outputevents' as source_table, itemid, null as row_key, charttime as "at", null as value, value as valuenum, valueuom as unit,
  ml as used_value, case when not in_window then 'before the window' else why_not end as why_not
from urine_row;

create view trace_input as
select stay_id, 'inputevents' as source_table, itemid, cast(orderid as varchar) as row_key, starttime as "at",
  concat('until ', endtime, ', share ', round(share, 4)) as value, amount as valuenum, amountuom as unit, amount * share as used_value, why_not
from input_row;

create view trace_pressor as
select stay_id, drug, 'inputevents' as source_table, itemid, cast(orderid as varchar) as row_key, starttime as "at",
  concat('until ', endtime) as value, rate as valuenum, rateuom as unit, converted as used_value, why_not
from pressor_row;

create view trace_procedure as
select stay_id, 'procedureevents' as source_table, itemid, cast(orderid as varchar) as row_key, starttime as "at",
  concat('until ', endtime) as value, value as valuenum, valueuom as unit,
  greatest(epoch(clipped_end - clipped_start), 0) / 3600 as used_value, why_not
from procedure_row;

create view trace_ventilation as
select v.stay_id, 'chartevents' as source_table, v.itemid, null as row_key, v.charttime as "at", v.value, v.valuenum, null as unit,
  null as used_value, case when kind is null then 'says nothing of ventilation' end as why_not
from vent_charting v join stay s on s.stay_id = v.stay_id
where v.charttime >= s.t0 and v.charttime < s.window_end;

create view trace_gcs as
select stay_id, 'chartevents' as source_table, itemid, null as row_key, charttime as "at", value, valuenum, valueuom as unit,
  valuenum as used_value, why_not
from gcs_row;

create view trace_weight as
select stay_id, 'chartevents' as source_table, itemid, null as row_key, charttime as "at", value, valuenum, valueuom as unit,
  kg as used_value, case when not is_plausible then 'implausible' end as why_not
from weight_row;

create view trace_height as
select stay_id, 'chartevents' as source_table, itemid, null as row_key, charttime as "at", value, valuenum, valueuom as unit,
  cm as used_value, why_not
from height_row;

create view trace_braden as
select stay_id, 'chartevents' as source_table, itemid, null as row_key, charttime as "at", value, valuenum, valueuom as unit,
  points as used_value, why_not
from braden_row;

create view trace_charted as
select s.stay_id, 'chartevents' as source_table, e.itemid, null as row_key, e.charttime as "at", e.value, e.valuenum, e.valueuom as unit,
  case when e.valuenum between 0.2 and 1 then e.valuenum * 100 when e.valuenum between 20 and 100 then e.valuenum end as used_value,
  case
    when not coalesce(e.storetime, e.charttime) < s.filed_before then 'filed after the window'
    when not coalesce(e.valuenum between 0.2 and 1 or e.valuenum between 20 and 100, false) then 'refused by the unit rule'
  end as why_not
from chartevents e join stay s on s.subject_id = e.subject_id
where e.itemid = 223835 and e.charttime >= s.lab_from - interval 4 hour and e.charttime < s.window_end;

create view trace_outpatient as
select s.stay_id, o.result_name, 'omr' as source_table, null as itemid, concat(o.result_name, ' ', o.chartdate, ' ', o.seq_num) as row_key,
  cast(o.chartdate as timestamp) as "at", o.result_value as value, null as valuenum, null as unit, null as used_value, null as why_not
from omr o join stay s on s.subject_id = o.subject_id and o.chartdate < cast(s.admittime as date);

create view trace_stay as
select s.stay_id, 'admissions' as source_table, null as itemid, cast(a.hadm_id as varchar) as row_key, a.admittime as "at",
  concat('admitted ', a.admittime, ', discharged ', a.dischtime, ', ED ', a.edregtime, ' to ', a.edouttime) as value,
  null as valuenum, null as unit, null as used_value,
  case when a.hadm_id <> s.hadm_id and not coalesce(a.dischtime <= s.admittime, false) then 'not before this admission' end as why_not
from stay s join admissions a on a.subject_id = s.subject_id
union all
select s.stay_id, 'icustays', null, cast(i.stay_id as varchar), i.intime,
  concat('in ', i.intime, ', out ', i.outtime, ', ', i.first_careunit), null, null, null,
  case when i.intime > s.intime then 'after this stay' end
from stay s join icustays i on i.subject_id = s.subject_id
union all
select s.stay_id, 'patients', null, cast(p.subject_id as varchar), null, concat('anchor year ', p.anchor_year, ', ', p.gender),
  p.anchor_age, 'years', null, null
from stay s join patients p on p.subject_id = s.subject_id;
