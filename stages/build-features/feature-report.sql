-- Per itemid: source rows used in the window, rows removed as implausible, values changed by a unit rule, values below or above detection.
create table item_count as
select itemid, sum(rows_n) as rows_n, sum(implausible_n) as implausible_n, sum(converted_n) as converted_n, sum(censored_n) as censored_n
from (
  select itemid,
    count(*) filter (where why_not is null) as rows_n,
    count(*) filter (where why_not in ('implausible', 'refused by the unit rule')) as implausible_n,
    count(*) filter (where why_not is null and num is distinct from valuenum) as converted_n,
    0 as censored_n
  from series_row group by itemid
  union all
  select itemid,
    count(*) filter (where num is not null or itemid = 52033), count(*) filter (where is_implausible),
    count(*) filter (where num is not null and is_converted), count(*) filter (where num is not null and is_censored)
  from lab where in_window group by itemid
  union all
  select itemid, count(*), 0, 0, 0
  from (select distinct stay_id, itemid, charttime, value, why_not is distinct from 'no text' as is_text from text_row)
  where is_text and itemid not in (select itemid from series_item) group by itemid
  union all
  select itemid, count(*), 0, 0, 0 from gcs_row where itemid not in (select itemid from series_item) group by itemid
  union all
  select itemid, count(*) filter (where is_plausible), count(*) filter (where not is_plausible), count(*) filter (where itemid = 226531 and is_plausible), 0
  from weight_row group by itemid
  union all
  select itemid, count(*) filter (where why_not is null), count(*) filter (where why_not = 'implausible'), count(*) filter (where itemid = 226707 and why_not is null), 0
  from height_row group by itemid
  union all
  select itemid, count(*) filter (where why_not is null), count(*) filter (where why_not = 'implausible'), 0, 0 from braden_row group by itemid
  union all
  select v.itemid, count(*), 0, 0, 0
  from vent_charting v join stay s on s.stay_id = v.stay_id
  where v.charttime >= s.t0 and v.charttime < s.window_end and kind is not null and v.itemid not in (select itemid from text_item)
  group by v.itemid
  union all
  select itemid, count(*) filter (where why_not is null), count(*) filter (where why_not = 'implausible'), 0, 0 from output_row group by itemid
  union all
  select itemid, count(*) filter (where why_not is null), 0, 0, 0 from input_row where itemid not in (select itemid from pressor_item) group by itemid
  union all
  select itemid, count(*) filter (where why_not is null), count(*) filter (where why_not in ('implausible', 'unit refused')),
    count(*) filter (where why_not is null and converted is distinct from rate), 0
  from pressor_row group by itemid
  union all
  select itemid, count(*) filter (where why_not is null), 0, 0, 0 from procedure_row group by itemid
)
group by itemid;

-- Features that name no itemid count the rows of their table.
create table table_count as
select 'F309' as feature_id, count(*) as rows_n
from labevents e join stay s on s.subject_id = e.subject_id where e.charttime >= s.lab_from and e.charttime < s.window_end
union all select 'F310', count(e.valuenum) from labevents e join stay s on s.subject_id = e.subject_id where e.charttime >= s.lab_from and e.charttime < s.window_end
union all select 'F376', count(*) from output_row where why_not is null
union all select 'F416', count(*) from input_row where why_not is null and lower(amountuom) in ('ml', 'l')
union all select 'F417', (select count(*) from output_row where why_not is null)
  + (select count(*) from input_row where why_not is null and lower(amountuom) in ('ml', 'l'))
union all select r.feature_id, count(*) from attribute_row a join attribute_rule r on r.attribute = a.attribute group by r.feature_id
union all select r.feature_id, count(*) from prior_dx d join group_rule r on r.group_name is null or (r.group_name = d.group_name and r.system = d.system) group by r.feature_id;

create table feature_report as
select
  f.feature_id,
  cast(coalesce(v.stays_n, 0) as integer) as stays_n,
  cast(coalesce(i.rows_n, t.rows_n, 0) as bigint) as rows_n,
  cast(coalesce(i.implausible_n, 0) + coalesce(o.n, 0) as bigint) as implausible_n,
  cast(coalesce(i.converted_n, 0) as bigint) as converted_n,
  cast(coalesce(i.censored_n, 0) as bigint) as censored_n
from feature_limit f
left join (select feature_id, count(*) as stays_n from feature_values group by feature_id) v on v.feature_id = f.feature_id
left join (
  select x.feature_id, sum(c.rows_n) as rows_n, sum(c.implausible_n) as implausible_n, sum(c.converted_n) as converted_n, sum(c.censored_n) as censored_n
  from feature_item x join item_count c on c.itemid = x.itemid group by x.feature_id
) i on i.feature_id = f.feature_id
left join table_count t on t.feature_id = f.feature_id
left join (select feature_id, count(*) as n from value_out_of_range group by feature_id) o on o.feature_id = f.feature_id;
