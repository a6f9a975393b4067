-- One row per blood gas specimen (it has a pO2, pCO2, pH or a reported gradient). Arterial means specimen type (52033) ART.
-- FiO2 in percent: 50816 of the specimen, else the latest 223835 charted for the patient within 4 h before (gases are
-- joined on the patient too, so an ICU stay just before this one may hold it; the highest of one charttime).
-- Charted FiO2: 0.2 to 1 is a fraction, above 1 and below 20 is neither and is dropped, 20 to 100 is percent.
create table gas as
with specimen as (
  select
    stay_id, specimen_id, max(charttime) as charttime,
    coalesce(bool_or(itemid = 52033 and text in ('ART', 'ART.')), false) as is_arterial,
    max(num) filter (where itemid = 50821) as po2,
    max(num) filter (where itemid = 50818) as pco2,
    max(num) filter (where itemid = 50820) as ph,
    max(num) filter (where itemid = 50816) as fio2_specimen,
    max(num) filter (where itemid = 50801) as aado2_reported,
    bool_or(in_window) as in_window
  from lab where itemid in (52033, 50821, 50818, 50820, 50816, 50801)
  group by stay_id, specimen_id
), charted as (
  select s.stay_id, e.charttime, max(case when e.valuenum <= 1 then round(e.valuenum * 100, 9) else e.valuenum end) as fio2
  from chartevents e join stay s on s.subject_id = e.subject_id
  where e.itemid = 223835 and (e.valuenum between 0.2 and 1 or e.valuenum between 20 and 100)
    and e.charttime >= s.lab_from - interval 4 hour and e.charttime < s.window_end
    and coalesce(e.storetime, e.charttime) < s.filed_before
  group by s.stay_id, e.charttime
), joined as (
  select s.*, f.fio2 as fio2_charted, f.charttime as fio2_charttime
  from specimen s asof left join charted f on f.stay_id = s.stay_id and f.charttime <= s.charttime
), used as (
  select
    stay_id, specimen_id, charttime, is_arterial, po2, pco2, ph, aado2_reported, in_window,
    coalesce(fio2_specimen, case when fio2_charttime >= charttime - interval 4 hour then fio2_charted end) as fio2,
    case when fio2_specimen is null and fio2_charttime >= charttime - interval 4 hour then fio2_charttime end as fio2_charttime
  from joined
)
select
  stay_id, specimen_id, charttime, is_arterial, po2, pco2, ph, fio2,
  -- (FiO2 / 100) x (760 - 47) - pCO2 / 0.8 - pO2, all in mmHg.
  coalesce(aado2_reported, fio2 / 100 * 713 - pco2 / 0.8 - po2) as aado2,
  -- po2 / (fio2 / 100), multiplied first so that 112 mmHg at 56 % is 200 and not a binary hair below it.
  po2 * 100 / fio2 as pf_ratio,
  in_window, aado2_reported is not null as is_aado2_reported, fio2_charttime
from used
where coalesce(po2, pco2, ph, aado2_reported) is not null;
