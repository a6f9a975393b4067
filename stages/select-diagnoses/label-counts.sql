-- Per label: positive stays, their measured and outlying core values, stays with any outlying value, and positives
-- by the ICD version of the admission (an admission with codes of both versions counts for neither).
SELECT
  l.dx_code,
  count(*)::INTEGER AS positives_n,
  sum(q.observed_n)::BIGINT AS observed_n,
  sum(q.outlying_n)::BIGINT AS outlying_n,
  count(*) FILTER (WHERE q.outlying_n > 0)::INTEGER AS outlying_stays_n,
  count(*) FILTER (WHERE v.icd_version = 9)::INTEGER AS icd9_n,
  count(*) FILTER (WHERE v.icd_version = 10)::INTEGER AS icd10_n
FROM (SELECT DISTINCT stay_id, dx_code FROM label_rows) AS l
JOIN stay_quality AS q ON q.stay_id = l.stay_id
JOIN stay_version AS v ON v.stay_id = l.stay_id
GROUP BY l.dx_code
ORDER BY l.dx_code
