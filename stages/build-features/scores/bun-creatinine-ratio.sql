-- Urea nitrogen to creatinine (F362): the highest ratio of one specimen of the window, both in mg/dL.
insert into score_value
with specimen as (
  select
    stay_id, specimen_id,
    max(num) filter (where itemid = 51006) as bun,
    max(num) filter (where itemid = 50912) as creatinine
  from lab where itemid in (51006, 50912) and in_window
  group by stay_id, specimen_id
)
select stay_id, 'F362', max(bun / creatinine) from specimen where bun is not null and creatinine > 0 group by stay_id;
