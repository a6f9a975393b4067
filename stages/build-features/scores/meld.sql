-- Model for End-Stage Liver Disease with sodium (F357). Kamath 2001 doi:10.1053/jhep.2001.22172; sodium: Kim 2008
-- doi:10.1056/NEJMoa0801209 in the form of OPTN policy 9 (2016).
-- Highest creatinine, bilirubin and INR, lowest sodium of the window. Values below 1 count as 1; creatinine at most 4, and 4 on
-- renal replacement. An input that was not measured counts as normal (1; sodium 137) and adds nothing.
-- round(10 x) and not round(x, 1) x 10: the latter gives 11.000000000000002 for 1.1 and would add sodium points.
insert into score_value
with measured as (
  select
    s.stay_id,
    max(f.value) filter (where f.feature_id = 'F220') as creatinine,
    max(f.value) filter (where f.feature_id = 'F248') as bilirubin,
    max(f.value) filter (where f.feature_id = 'F235') as inr,
    max(f.value) filter (where f.feature_id = 'F200') as sodium,
    s.stay_id in (select stay_id from rrt) as is_on_rrt
  from stay s left join feature_values f on f.stay_id = s.stay_id
  group by s.stay_id
), first_step as (
  select
    stay_id,
    greatest(0, 137 - greatest(125, coalesce(sodium, 137))) as sodium_gap,
    least(40, round(10 * (
      0.957 * ln(case when is_on_rrt then 4 else least(4, greatest(1, coalesce(creatinine, 1))) end)
      + 0.378 * ln(greatest(1, coalesce(bilirubin, 1)))
      + 1.120 * ln(greatest(1, coalesce(inr, 1)))
      + 0.643))) as meld
  from measured
)
select stay_id, 'F357', case when meld > 11 then meld + 1.32 * sodium_gap - 0.033 * meld * sodium_gap else meld end
from first_step;
