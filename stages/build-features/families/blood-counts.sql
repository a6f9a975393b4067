-- F281 to F283: absolute neutrophil and lymphocyte counts in K/uL, one per specimen.
-- Neutrophils: 52075 as reported, else neutrophil % (51256) x white cells (51301) / 100 of the same specimen.
-- Lymphocytes: 51133 as reported, else 52769 (converted from #/uL), else lymphocyte % (51244) x white cells / 100.
with counted as (
  select
    stay_id, specimen_id,
    max(num) filter (where itemid = 52075) as anc,
    max(num) filter (where itemid = 51133) as alc,
    max(num) filter (where itemid = 52769) as alc_ul,
    max(num) filter (where itemid = 51256) as neutrophils,
    max(num) filter (where itemid = 51244) as lymphocytes,
    max(num) filter (where itemid = 51301) as wbc
  from lab
  where in_window and itemid in (52075, 51133, 52769, 51256, 51244, 51301)
  group by stay_id, specimen_id
), derived as (
  select stay_id,
    coalesce(anc, neutrophils * wbc / 100) as anc,
    coalesce(alc, alc_ul, lymphocytes * wbc / 100) as alc
  from counted
)
select stay_id, 'F281' as feature_id, min(anc) as value from derived where anc between 0 and 500 group by stay_id
union all
select stay_id, 'F282', max(anc) from derived where anc between 0 and 500 group by stay_id
union all
select stay_id, 'F283', min(alc) from derived where alc between 0 and 500 group by stay_id
