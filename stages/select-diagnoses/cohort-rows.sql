-- The diagnosis rows of every cohort stay: all codes of its admission (they are assigned after discharge, for the
-- whole admission). Two cohort stays of one admission both get its rows.
SELECT c.stay_id, d.hadm_id, d.seq_num, d.icd_code, d.icd_version
FROM cohort AS c
JOIN diagnoses_icd AS d ON d.hadm_id = c.hadm_id AND d.subject_id = c.subject_id
WHERE d.seq_num = 1 OR NOT $primary_only
