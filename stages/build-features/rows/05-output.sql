-- Output rows of the window in mL, 227488 (irrigant in) negative; rows that repeat stay, charttime, itemid and value count once.
-- is_urine: the urine items, which have their own rules in base/09-urine.sql; single rows above 5000 mL are typing errors there.
create view output_row as
select
  o.stay_id, o.charttime, o.itemid, o.value, o.valueuom,
  case when o.itemid = 227488 then -o.value else o.value end + 0.0 as ml,
  case
    when o.value is null then 'no value'
    when not coalesce(o.storetime, o.charttime) < s.filed_before then 'filed after the window'
    when lower(trim(coalesce(o.valueuom, 'ml'))) <> 'ml' then 'unit refused'
    when row_number() over (
      partition by o.stay_id, o.charttime, o.itemid, o.value order by o.storetime, o.valueuom) > 1 then 'duplicate'
    when o.itemid in (226559, 226560, 226561, 226584, 226563, 226564, 226565, 226567, 226557, 226558, 227488, 227489)
      and abs(o.value) > 5000 then 'implausible'
  end as why_not
from outputevents o join stay s on s.stay_id = o.stay_id
where o.charttime >= s.t0 and o.charttime < s.window_end;
