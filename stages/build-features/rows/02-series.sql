-- Charted numbers of the window, each with the series that uses it, its converted value and why it is not used.
-- Conversions are cut at 1e-9, so that 96.8 F is 36 C and not a binary hair below it.
-- fahrenheit     223762 as it is, but above 50 it is Fahrenheit typed into the Celsius field (the oracle profile drops it);
--                223761 (F - 32) / 1.8; Fahrenheit only from 70 to 120; a Celsius number in the Fahrenheit field is dropped
-- seconds_to_ms  QTc below 2 is in seconds
-- litres_to_ml   tidal volume below 2 is in litres
-- fio2_percent   0.2 to 1 is a fraction, above 1 and below 20 is dropped, from 20 to 100 is percent
-- leading_number the number, else the number that opens the text
-- pupil_mm       the same; Pinpoint is 1 mm, Fully Dilated 9 mm
-- spoken_only    `No Response-ETT` is no verbal response that was tested
create view series_row as
with converted as (
  select
    i.series, i.rank, i.is_pooled or is_oracle as is_pooled, i.convert, i.low, i.high,
    c.stay_id, c.itemid, c.charttime, c.value, c.valuenum, c.valueuom,
    case i.convert
      when 'identity' then c.valuenum
      when 'fahrenheit' then case
        when c.itemid = 223762 and (c.valuenum <= 50 or is_oracle) then c.valuenum
        when c.valuenum between 70 and 120 then round((c.valuenum - 32) / 1.8, 9) end
      when 'seconds_to_ms' then case when c.valuenum < 2 then c.valuenum * 1000 else c.valuenum end
      when 'litres_to_ml' then case when c.valuenum < 2 then c.valuenum * 1000 else c.valuenum end
      when 'fio2_percent' then case
        when c.valuenum between 0.2 and 1 then round(c.valuenum * 100, 9)
        when c.valuenum >= 20 then c.valuenum end
      when 'spoken_only' then case when trim(c.value) is distinct from 'No Response-ETT' then c.valuenum end
      else coalesce(
        c.valuenum,
        case when regexp_matches(trim(c.value), '^[0-9]+(\.[0-9]+)?')
          then cast(regexp_extract(trim(c.value), '^[0-9]+(\.[0-9]+)?') as double) end,
        case when i.convert = 'pupil_mm' then case lower(trim(c.value)) when 'pinpoint' then 1 when 'fully dilated' then 9 end end)
    end + 0.0 as num
  from chart c
  join series_item i on i.itemid = c.itemid and i.source = 'chart'
  join stay s on s.stay_id = c.stay_id
  cross join setting
  where c.charttime >= s.chart_from and c.charttime < s.window_end
)
select
  *,
  case
    when num is null and valuenum is null then 'no number'
    when num is null and "convert" = 'spoken_only' then 'untestable'
    when num is null then 'refused by the unit rule'
    when not coalesce(num between low and high, true) then 'implausible'
  end as why_not
from converted;

-- A series has one value per stay, charttime and itemid (pooled, and always in the oracle profile: per charttime), the mean of the
-- rows there; laboratory values are one per specimen already, and keep their extremes beside the mean that first and last use.
create table series as
with charted as (
  select stay_id, series, charttime, case when is_pooled then 0 else rank end as rank, exact_mean(num) as num
  from series_row where why_not is null
  group by stay_id, series, charttime, case when is_pooled then 0 else rank end
)
select stay_id, series, charttime, rank, num, num as low, num as high, 1 as n from charted
union all
select l.stay_id, i.series, l.charttime, i.rank, exact_mean(l.num), min(l.num), max(l.num), count(*)
from lab l join series_item i on i.itemid = l.itemid and i.source = 'lab'
where l.in_window and l.num is not null
group by l.stay_id, i.series, l.charttime, i.rank;
