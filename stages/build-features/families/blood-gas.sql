-- F322, F323 arterial pO2; F327, F328 pO2 / (FiO2 / 100); F329 alveolar-arterial gradient; F339 number of arterial specimens.
-- Arterial specimens only (52033 = ART.); FiO2 as in base/05-gas.sql.
with arterial as (select * from gas where is_arterial and in_window),
  ratio as (select * from arterial where pf_ratio between 20 and 700),
  latest as (
    -- Two specimens of one time: the mean of their ratios.
    select stay_id, charttime, exact_mean(pf_ratio) as pf_ratio from ratio group by stay_id, charttime
  )
select stay_id, 'F322' as feature_id, min(po2) as value from arterial group by stay_id
union all
select stay_id, 'F323', max(po2) from arterial group by stay_id
union all
select stay_id, 'F327', min(pf_ratio) from ratio group by stay_id
union all
select stay_id, 'F328', arg_max(pf_ratio, charttime) from latest group by stay_id
union all
select stay_id, 'F329', max(aado2) + 0.0 from arterial where aado2 between 0 and 700 group by stay_id
union all
select p.stay_id, 'F339', cast(count(a.po2) as double)
from presence p left join arterial a on a.stay_id = p.stay_id
where p.has_lab
group by p.stay_id
