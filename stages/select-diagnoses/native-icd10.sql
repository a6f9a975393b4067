-- Admissions per ICD-10 category that were coded in ICD-10, in the whole extract (not only in the cohort): decides
-- ICD-9 codes that have several targets.
SELECT substr(icd_code, 1, 3) AS category, count(DISTINCT hadm_id)::INTEGER AS admissions_n
FROM diagnoses_icd
WHERE icd_version = 10
GROUP BY category
ORDER BY category
