-- Vasoactive infusions that overlap the window, cut to it, in the registry's units (F377 to F383).
-- Rows without a rate and rewritten orders are left out. mcg/kg/min for all but vasopressin, which is units/hour.
-- norepinephrine mg/kg/min with patientweight 1 is already mcg/kg/min, otherwise x 1000; phenylephrine mcg/min is divided by the
-- weight of the row (by the admission weight where the row has none between 20 and 300 kg); vasopressin units/min x 60.
-- Any other unit is refused. Upper limits are the maximal doses of mimic-code's concept tests.
create view pressor_row as
with converted as (
  select
    i.stay_id, d.drug, i.itemid, i.starttime, i.endtime, i.storetime, i.rate, i.rateuom, i.patientweight, i.orderid, i.statusdescription, d.high,
    case
      when d.drug = 'vasopressin' then case i.rateuom when 'units/hour' then i.rate when 'units/min' then round(i.rate * 60, 9) end
      when i.rateuom = 'mcg/kg/min' then i.rate
      when d.drug = 'norepinephrine' and i.rateuom = 'mg/kg/min' then case when i.patientweight = 1 then i.rate else round(i.rate * 1000, 9) end
      when d.drug = 'phenylephrine' and i.rateuom = 'mcg/min'
        then i.rate / case when i.patientweight between 20 and 300 then i.patientweight else w.kg end
    end as converted
  from inputevents i join pressor_item d on d.itemid = i.itemid left join weight w on w.stay_id = i.stay_id
)
select
  c.stay_id, c.drug, c.itemid, c.orderid, c.starttime, c.endtime, c.rate, c.rateuom, c.patientweight, c.converted,
  greatest(c.starttime, s.t0) as clipped_start, least(c.endtime, s.window_end) as clipped_end,
  case
    when c.statusdescription = 'Rewritten' then 'rewritten order'
    when c.rate is null then 'no rate'
    when c.endtime <= c.starttime then 'no duration'
    when not coalesce(c.storetime, c.starttime) < s.filed_before then 'filed after the window'
    when c.converted is null then 'unit refused'
    when not c.converted between 0 and c.high then 'implausible'
  end as why_not
from converted c join stay s on s.stay_id = c.stay_id
where c.starttime < s.window_end and c.endtime > s.t0;

create table pressor as
select stay_id, drug, clipped_start as starttime, clipped_end as endtime, converted + 0.0 as rate, itemid, orderid
from pressor_row where why_not is null;
