-- Anion gap corrected for albumin (F363): highest gap of the window + 2.5 x (4.0 - albumin), albumin in g/dL.
-- Figge 1998 doi:10.1097/00003246-199811000-00019 (factor 2.5); the normal of 4.0 is the registry's.
-- The latest albumin of the window counts; without one the gap stays uncorrected.
insert into score_value
with albumin as (
  select stay_id, arg_max(num, struct_pack(t := charttime, s := specimen_id)) as latest
  from lab where itemid = 50862 and in_window and num is not null
  group by stay_id
)
select f.stay_id, 'F363', f.value + 2.5 * (4.0 - coalesce(a.latest, 4.0))
from feature_values f left join albumin a on a.stay_id = f.stay_id
where f.feature_id = 'F213';
