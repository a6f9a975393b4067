-- F364 to F367: urine of the window in mL (irrigant netted), per kg and hour observed, of the first six hours, and number of rows.
with windowed as (
  select u.stay_id, u.charttime, u.itemid, u.ml, u.charttime < s.t0 + interval 6 hour as is_first_6h
  from urine u join stay s on s.stay_id = u.stay_id where u.in_window
), total as (
  select
    stay_id,
    exact_sum(ml) as ml,
    exact_sum(case when is_first_6h then ml end) as ml_6h
  from windowed group by stay_id
)
select stay_id, 'F364' as feature_id, ml as value from total
union all
select t.stay_id, 'F365', t.ml / w.kg / s.hours_observed
from total t join weight w on w.stay_id = t.stay_id join stay s on s.stay_id = t.stay_id
join feature_limit l on l.feature_id = 'F364'
where s.hours_observed > 0 and t.ml between l.low and l.high
union all
select stay_id, 'F366', ml_6h from total
union all
select p.stay_id, 'F367', cast(count(u.ml) as double)
from presence p left join windowed u on u.stay_id = p.stay_id where p.has_output
group by p.stay_id
