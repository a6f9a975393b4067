-- What several scores read. Every score reads only rows of the feature window; chronic disease only from earlier admissions.

-- One reading of one item of a score. slot separates the hours of qSOFA; everything else has slot 0.
-- value_2 is the second axis of the APS III grids (PaCO2, motor response).
create table score_input (stay_id integer, score varchar, slot integer, item varchar, value double, value_2 double);

-- Values that are not points: formulas and ratios.
create table score_value (stay_id integer, feature_id varchar, value double);

-- Urine of 24 h from F364. A stay that was observed for less is scaled to 24 h (Le Gall 1996 doi:10.1001/jama.276.10.802 does so),
-- so that leaving early is no kidney failure. mimic-code never scales, so the oracle profile does not.
create view score_urine as
select
  s.stay_id,
  case
    when is_oracle or s.hours_observed >= 24 then f.value
    when s.hours_observed > 0 then f.value * 24 / s.hours_observed
  end as ml_24h
from stay s join feature_values f on f.stay_id = s.stay_id and f.feature_id = 'F364' cross join setting;

-- Arterial gases of the window, with the ventilation at that minute. PaO2/FiO2 and A-a gradient within the limits of F327 and F329
-- (mimic-code has none).
create table score_gas as
select
  g.stay_id, g.specimen_id, g.po2, g.pco2, g.ph, g.fio2,
  case when is_oracle or g.aado2 between a.low and a.high then g.aado2 end as aado2,
  case when is_oracle or g.pf_ratio between p.low and p.high then g.pf_ratio end as pf_ratio,
  coalesce(bool_or(v.kind = 'invasive'), false) as is_invasive,
  coalesce(bool_or(v.kind = 'niv'), false) as is_niv
from gas g
join score_limit p on p.feature_id = 'F327'
join score_limit a on a.feature_id = 'F329'
cross join setting
left join vent v on v.stay_id = g.stay_id and g.charttime between v.starttime and v.endtime
where g.is_arterial and g.in_window
group by all;

-- Stays with invasive ventilation at any time of the window.
create view score_invasive as
select distinct v.stay_id
from vent v join stay s on s.stay_id = v.stay_id
where v.kind = 'invasive' and v.starttime < s.window_end and v.endtime >= s.t0;

-- Chronic disease groups of chronic-codes.csv among the diagnoses of earlier admissions.
create view score_chronic as
select distinct d.stay_id, c."group" as disease
from prior_dx d
join chronic_code c
  on c.icd_version = d.icd_version
  and left(d.icd_code, len(c.prefix_from)) >= c.prefix_from
  and left(d.icd_code, len(c.prefix_to)) <= c.prefix_to;

-- Kind of admission. Scheduled = ELECTIVE or SURGICAL SAME DAY ADMISSION. Surgical = the name of the service holds SURG, or is ORTHO:
-- for SAPS II the service in force at ICU admission (latest transfer up to 1 h after intime, as F035 to F041), for OASIS any
-- service up to 24 h after intime. oracle (mimic-code): scheduled = ELECTIVE alone; for SAPS II the first service of the
-- admission, without ORTHO.
create view score_admission as
with service as (
  select
    s.stay_id, v.transfertime, v.curr_service,
    v.curr_service like '%SURG%' or v.curr_service = 'ORTHO' as is_surgical,
    v.transfertime <= s.intime + interval 1 hour as is_before_icu,
    v.transfertime < s.intime + interval 24 hour as is_first_day
  from stay s join services v on v.hadm_id = s.hadm_id
), summary as (
  select
    stay_id,
    arg_max(is_surgical, struct_pack(t := transfertime, c := curr_service)) filter (where is_before_icu) as at_icu,
    arg_min(curr_service, struct_pack(t := transfertime, c := curr_service)) as first_one,
    bool_or(is_surgical and is_first_day) as first_day
  from service
  group by stay_id
)
select
  s.stay_id,
  a.admission_type = 'ELECTIVE' or (not is_oracle and a.admission_type = 'SURGICAL SAME DAY ADMISSION') as is_scheduled,
  coalesce(case when is_oracle then v.first_one like '%SURG%' else v.at_icu end, false) as is_surgical,
  coalesce(v.first_day, false) as is_surgical_first_day
from stay s
join admissions a on a.hadm_id = s.hadm_id
left join summary v on v.stay_id = s.stay_id
cross join setting;
