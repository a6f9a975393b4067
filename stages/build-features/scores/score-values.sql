-- From points to features, as outputs.csv says: a part as it is (null when it was not measured), a total as the sum of its parts,
-- where a missing part adds 0. A score without any measured part is null. qSOFA is the highest total of an hour.
insert into score_value
select p.stay_id, o.feature_id, p.points
from score_part p join score_output o on o.score = p.score and o.part = p.part;

insert into score_value
select t.stay_id, o.feature_id, max(t.points)
from (select stay_id, score, slot, sum(points) as points from score_part group by all) t
join score_output o on o.score = t.score and o.part = 'total'
group by t.stay_id, o.feature_id;

-- Outside the limits of the registry (inclusive) a value is left out; the caller counts these rows.
create view score_implausible as
select v.* from score_value v join score_limit l on l.feature_id = v.feature_id
where v.value < l.low or v.value > l.high;

insert into feature_values
select v.stay_id, v.feature_id, v.value + 0.0
from score_value v join score_limit l on l.feature_id = v.feature_id
where v.value between l.low and l.high;
