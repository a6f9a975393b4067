-- The ICD version of a stay's admission: 9, 10, or null where its rows have both.
SELECT stay_id, CASE WHEN min(icd_version) = max(icd_version) THEN min(icd_version) END AS icd_version
FROM cohort_rows
GROUP BY stay_id
