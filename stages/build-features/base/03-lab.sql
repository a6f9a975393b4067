-- Laboratory results: joined on subject_id (hadm_id is null in half of the table), from 7 days before t0 to the end of the window.
-- 1. result_text: value unless it is empty or ___; else the leading token of comments (up to the first dot that is
--    followed by a blank or the end); stars, outer blanks and trailing dots stripped; upper case.
-- 2. a number: valuenum; else a plain number, `<x` (half of x), `>x` (x), or a word of lab-words.csv. A range (`0-2`) and any
--    other word is no number. The oracle profile reads valuenum alone, as mimic-code does.
-- 3. units: lab-units.csv lists the itemids whose unit decides the number; a unit that is not listed there is refused.
-- 4. plausible limits of lab-items.csv (inclusive).
create view lab_text as
select
  s.stay_id, e.subject_id, e.labevent_id, e.specimen_id, e.charttime, e.storetime, e.itemid,
  e.value, e.valuenum, e.valueuom, e.comments,
  e.charttime >= s.lab_from as in_window,
  coalesce(e.storetime, e.charttime) < s.filed_before as is_available,
  case
    when e.valuenum is null or e.itemid = 52033 then upper(trim(regexp_replace(replace(
      case
        when trim(coalesce(e.value, '')) not in ('', '___') then e.value
        else coalesce(nullif(regexp_extract(e.comments, '^(.*?)\.(\s|$)', 1), ''), e.comments)
      end, '*', ''), '[\s.]+$', '')))
  end as result_text
from labevents e
join stay s on s.subject_id = e.subject_id
where e.itemid in (select itemid from lab_item)
  and e.charttime >= s.t0 - interval 7 day and e.charttime < s.window_end;

create view lab_number as
select
  t.*,
  coalesce(regexp_matches(t.result_text, '^([<>]=?|LESS THAN|GREATER THAN|MORE THAN)'), false) and t.valuenum is null as has_comparator,
  case
    when t.itemid = 52033 then null
    when t.valuenum is not null or is_oracle then t.valuenum
    when regexp_matches(t.result_text, '^-?[0-9]*\.?[0-9]+$') then cast(t.result_text as double)
    when regexp_matches(t.result_text, '^(<=?|LESS THAN) *[0-9]*\.?[0-9]+( +[A-Z%/#]+)?$')
      then cast(regexp_extract(t.result_text, '([0-9]*\.?[0-9]+)( +[A-Z%/#]+)?$', 1) as double) / 2
    when regexp_matches(t.result_text, '^(>=?|GREATER THAN|MORE THAN) *[0-9]*\.?[0-9]+( +[A-Z%/#]+)?$')
      then cast(regexp_extract(t.result_text, '([0-9]*\.?[0-9]+)( +[A-Z%/#]+)?$', 1) as double)
    else w.num
  end as parsed
from lab_text t cross join setting left join lab_word w on w.itemid = t.itemid and w.word = t.result_text;

create view lab_row as
select
  n.*,
  i.low, i.high,
  r.itemid is not null and coalesce(u.factor, case when n.valueuom is null then 1.0 end) is null as is_unit_refused,
  -- 50816 is FiO2: up to 1 a fraction, between 1 and 20 neither.
  case
    when r.itemid is not null then round(n.parsed * coalesce(u.factor, case when n.valueuom is null then 1.0 end), 9)
    when n.itemid = 50816 and n.parsed between 0.2 and 1 then round(n.parsed * 100, 9)
    else n.parsed
  end + 0.0 as converted
from lab_number n
join lab_item i on i.itemid = n.itemid
left join (select distinct itemid from lab_unit) r on r.itemid = n.itemid
left join lab_unit u on u.itemid = n.itemid and lower(u.unit) = lower(trim(n.valueuom));

-- One value per specimen and itemid: of the plausible ones the one filed last (oracle: the largest).
-- A row without a number, or with an impossible one, never displaces a plausible one.
create table lab as
with ranked as (
  select
    r.*,
    coalesce(converted between low and high, low is null and converted is not null) as is_plausible,
    row_number() over (
      partition by stay_id, specimen_id, itemid
      order by
        case when converted is null then 1 else 0 end,
        case when converted between low and high or low is null then 0 else 1 end,
        case when is_oracle then -converted end,
        case when storetime is null then 1 else 0 end, storetime desc, labevent_id desc
    ) as place
  from lab_row r cross join setting
  where is_available
)
select
  stay_id, subject_id, labevent_id, specimen_id, charttime, storetime, itemid,
  case when is_plausible then converted end as num,
  converted is distinct from parsed as is_converted,
  has_comparator as is_censored,
  result_text as text,
  in_window,
  parsed, converted,
  converted is not null and not is_plausible as is_implausible
from ranked where place = 1;
