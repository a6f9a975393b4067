-- Every code of the cohort with the stays that have it (a code given twice in an admission counts once) and its
-- title. The key is (version, code): V140 is an allergy in ICD-9 and a cycling accident in ICD-10. Codes that the
-- dictionary lacks stay, without a title.
SELECT r.icd_version, r.icd_code, count(DISTINCT r.stay_id)::INTEGER AS stays_n, min(t.long_title) AS title
FROM cohort_rows AS r
LEFT JOIN d_icd_diagnoses AS t ON t.icd_version = r.icd_version AND t.icd_code = r.icd_code
GROUP BY r.icd_version, r.icd_code
ORDER BY r.icd_version, r.icd_code
