-- Sum, mean and standard deviation that do not depend on the order of rows or the number of threads: one value is itself, two are
-- (low + high) / 2, more are added as integers in units of 1e-9.
create macro exact_mean(x) as case
  when min(x) = max(x) then min(x)
  when count(x) = 2 then (min(x) + max(x)) / 2
  else cast(sum(cast(round(x * 1e9) as bigint)) as double) / count(x) / 1e9
end;

create macro exact_sum(x) as cast(sum(cast(round(x * 1e9) as hugeint)) as double) / 1e9;

create macro exact_std(x) as case
  when count(x) < 2 then null
  when min(x) = max(x) then 0.0
  else sqrt(cast(
    sum(cast(round(x * 1e9) as hugeint) * cast(round(x * 1e9) as hugeint)) * count(x)
      - sum(cast(round(x * 1e9) as bigint)) * sum(cast(round(x * 1e9) as bigint))
    as double) / count(x) / (count(x) - 1)) / 1e9
end;
