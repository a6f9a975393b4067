-- Ventilation intervals of a stay, cut at the end of the window (what is charted later is not known yet).
-- source procedure: 225792 invasive, 225794 non-invasive, from procedureevents.
-- source chart: devices (226732) and ventilator modes (223849, Hamilton 229314). A mode other than Standby (code 30 of 223849), Ambient
-- or a non-invasive Hamilton mode means invasive, an endotracheal tube too; Bipap and CPAP masks mean niv; High flow nasal
-- cannula hfnc; any other device ends what was running. Chartings of one kind less than 14 h apart are one interval, which ends
-- at the next charting of another kind, or at its own last charting when nothing follows within 14 h.
create view vent_charting as
select
  c.stay_id, c.charttime, c.itemid, c.value, c.valuenum,
  case
    when c.itemid in (223849, 229314) then
      case
        -- A mode by its code alone (the rebuilt demo has such rows) is a mode; mimic-code reads texts only.
        when c.value is null and (c.valuenum is null or is_oracle) then null
        when trim(coalesce(c.value, '')) in ('Standby', 'Ambient') then null
        when c.itemid = 223849 and c.value is null and c.valuenum = 30 then null
        when c.itemid = 229314 and trim(c.value) in ('DuoPaP', 'NIV', 'NIV-ST') then 'niv'
        else 'invasive'
      end
    when trim(c.value) = 'Endotracheal tube' then 'invasive'
    when trim(c.value) in ('Bipap mask', 'CPAP mask') then 'niv'
    when trim(c.value) = 'High flow nasal cannula' then 'hfnc'
    when c.value is not null then 'other'
  end as kind
from chart c cross join setting
where c.itemid in (226732, 223849, 229314);

create table vent as
with status as (
  select
    v.stay_id, v.charttime,
    min(case kind when 'invasive' then 1 when 'niv' then 2 when 'hfnc' then 3 else 4 end) as place
  from vent_charting v join stay s on s.stay_id = v.stay_id
  where kind is not null and v.charttime < s.window_end
  group by v.stay_id, v.charttime
), marked as (
  select
    *,
    lead(charttime) over w as next_time,
    case when lag(place) over w = place and charttime < lag(charttime) over w + interval 14 hour then 0 else 1 end as is_new
  from status window w as (partition by stay_id order by charttime)
), runs as (
  select *, sum(is_new) over (partition by stay_id order by charttime) as run from marked
), charted as (
  select
    stay_id, min(charttime) as starttime,
    max(case when next_time < charttime + interval 14 hour then next_time else charttime end) as endtime,
    case min(place) when 1 then 'invasive' when 2 then 'niv' when 3 then 'hfnc' end as kind
  from runs where place < 4
  group by stay_id, run
), procedures as (
  select
    p.stay_id, p.starttime, least(coalesce(p.endtime, s.window_end), s.window_end) as endtime,
    case p.itemid when 225792 then 'invasive' else 'niv' end as kind
  from procedureevents p join stay s on s.stay_id = p.stay_id cross join setting
  where p.itemid in (225792, 225794) and p.starttime < s.window_end and not is_oracle
    and p.statusdescription <> 'Rewritten'
    and coalesce(p.storetime, p.starttime) < s.filed_before
)
select stay_id, starttime, endtime, kind, 'procedure' as source from procedures where endtime >= starttime
union all
select stay_id, starttime, endtime, kind, 'chart' from charted;
