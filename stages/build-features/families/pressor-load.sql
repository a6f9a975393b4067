-- F384 to F386: norepinephrine equivalents (norepinephrine + epinephrine + phenylephrine / 10 + dopamine / 100
-- + vasopressin in units/h x 2.5 / 60) and hours on any of these drugs in the window.
-- The window is cut at every start and end of an infusion; between two cuts each drug runs at the highest of its rates.
-- The mean is over 24 h, 0 while off and for stays with inputs but without these drugs.
with infusion as (
  select * from pressor
  where drug in ('norepinephrine', 'epinephrine', 'phenylephrine', 'dopamine', 'vasopressin') and itemid <> 229617 and rate > 0
), cut as (
  select stay_id, starttime as edge from infusion union select stay_id, endtime from infusion
), piece as (
  select stay_id, edge as from_time, lead(edge) over (partition by stay_id order by edge) as to_time from cut
), running as (
  select p.stay_id, p.from_time, p.to_time, i.drug,
    max(i.rate * case i.drug when 'phenylephrine' then 0.1 when 'dopamine' then 0.01 when 'vasopressin' then 2.5 / 60 else 1 end) as equivalent
  from piece p join infusion i on i.stay_id = p.stay_id and i.starttime < p.to_time and i.endtime > p.from_time
  group by p.stay_id, p.from_time, p.to_time, i.drug
), load as (
  select stay_id, from_time, epoch(to_time - from_time) / 3600 as hours, sum(equivalent order by drug) as equivalent
  from running group by stay_id, from_time, to_time
)
select stay_id, 'F384' as feature_id, max(equivalent) as value from load group by stay_id
union all
select p.stay_id, 'F385', coalesce(sum(l.equivalent * l.hours order by l.from_time), 0.0) / 24
from presence p left join load l on l.stay_id = p.stay_id where p.has_input
group by p.stay_id
union all
-- Pieces of one full day may add up to 24 h and a last binary digit, which would be past the limit.
select stay_id, 'F386', least(sum(hours order by from_time), 24.0) from load group by stay_id
