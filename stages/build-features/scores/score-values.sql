-- From points to features, as outputs.csv says: a part as it is (null when it was not measured), a total as the sum of its parts,
-- where a missing part adds 0, so that a stay without any measurement has 0. qSOFA is the highest total of an hour, null when
-- none of its three signs was charted.
insert into score_value
select p.stay_id, o.feature_id, p.points
from score_part p join score_output o on o.score = p.score and o.part = p.part;

insert into score_value
select s.stay_id, o.feature_id, coalesce(max(t.points), o.unmeasured)
from stay s
cross join score_output o
left join (select stay_id, score, slot, sum(points) as points from score_part group by all) t
  on t.stay_id = s.stay_id and t.score = o.score
where o.part = 'total'
group by s.stay_id, o.feature_id, o.unmeasured;

-- Outside the limits of the registry (inclusive) a value is left out; the caller counts these rows.
create view score_implausible as
select v.* from score_value v join score_limit l on l.feature_id = v.feature_id
where v.value < l.low or v.value > l.high;

insert into feature_values
select v.stay_id, v.feature_id, v.value + 0.0
from score_value v join score_limit l on l.feature_id = v.feature_id
where v.value between l.low and l.high;
