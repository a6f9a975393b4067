-- Neutrophils to lymphocytes (F361): the highest ratio of one specimen of the window.
-- Counts as in F281 and F283: the reported count (52075; 51133, then 52769), else percentage x WBC / 100 of the specimen
-- (51256; 51244; WBC 51301). A specimen without lymphocytes has no ratio,
-- and one whose ratio lies outside the registry's limits does not count.
insert into score_value
with specimen as (
  select
    stay_id, specimen_id,
    max(num) filter (where itemid = 51301) as wbc,
    max(num) filter (where itemid = 52075) as neutrophils,
    max(num) filter (where itemid = 51256) as neutrophil_pct,
    coalesce(max(num) filter (where itemid = 51133), max(num) filter (where itemid = 52769)) as lymphocytes,
    max(num) filter (where itemid = 51244) as lymphocyte_pct
  from lab where itemid in (51301, 52075, 51256, 51133, 52769, 51244) and in_window
  group by stay_id, specimen_id
), counts as (
  select
    stay_id,
    coalesce(neutrophils, neutrophil_pct * wbc / 100) as anc,
    coalesce(lymphocytes, lymphocyte_pct * wbc / 100) as alc
  from specimen
)
select c.stay_id, 'F361', max(c.anc / c.alc)
from counts c join score_limit l on l.feature_id = 'F361'
where c.alc > 0 and c.anc / c.alc between l.low and l.high
group by c.stay_id;
