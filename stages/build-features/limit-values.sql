-- Plausible limits of the registry on the released values (a sum, a ratio or a count may be impossible although its rows are not).
create table value_out_of_range as
select v.stay_id, v.feature_id, v.value
from feature_values v join feature_limit l on l.feature_id = v.feature_id
where not coalesce(v.value between l.low and l.high, true) and l.file <> 'scores/index.ts';

delete from feature_values v using value_out_of_range o
where v.stay_id = o.stay_id and v.feature_id = o.feature_id;
