/** Notes written for tests in the shape of discharge notes and reports: headers, wrapped lines, masks; own words. */
import { readFileSync } from 'node:fs';
import { Headers } from '../../stages/split-notes/headers.js';
import { NOTE_HEADERS_FILE, REPORT_HEADERS_FILE } from '../../stages/split-notes/run.js';

export const noteHeaders = new Headers(readFileSync(NOTE_HEADERS_FILE, 'utf8'), NOTE_HEADERS_FILE);
export const reportHeaders = new Headers(readFileSync(REPORT_HEADERS_FILE, 'utf8'), REPORT_HEADERS_FILE);

export const NOTE = ` 
Name:  ___                     Unit No:   ___
 
Admission Date:  ___              Discharge Date:   ___
 
Date of Birth:  ___             Sex:   F
 
Service: MEDICINE
 
Allergies: 
Penicillins / Sulfa (Sulfonamide Antibiotics) / Iodinated Contrast 
Media - IV Dye
 
Attending: ___.
 
Chief Complaint:
Fever and cough
 
Major Surgical or Invasive Procedure:
None

 
History of Present Illness:
Ms. ___ is a ___ yo woman with a history of COPD and atrial 
fibrillation who has had a productive cough and fever up to 38.9 C 
for 3 days. She was seen by Dr. ___ and told that a normal 
Hospital course: of this illness takes a week. She denies chest 
pain. In the ED, initial vitals were 38.6 110 98/60 24 91% RA and 
she received a liter of fluid.
ROS: negative for dysuria and headache.
 
Past Medical History:
1. COPD
2. Atrial fibrillation on anticoagulation
3. ___
4. Type 2 diabetes mellitus, last HbA1c 
7.4 %
 
Social History:
___
Family History:
Father died of a stroke at ___.
 
Physical Exam:
ADMISSION EXAM:
VS: 38.4 104 102/58 22 93% 2L
Lungs: crackles over the right base
Ext: no edema

DISCHARGE EXAM:
VS: 36.8 78 118/70 16 96% RA
Lungs: clear
 
Pertinent Results:
___ 06:10AM BLOOD WBC-14.2* Hgb-11.0*
 
Brief Hospital Course:
She was started on levofloxacin for pneumonia and improved. Her
hospital course was complicated by delirium.

Transitional Issues:
- repeat film in six weeks
 
Medications on Admission:
The Preadmission Medication list is accurate and complete.
1. Apixaban 5 mg PO BID 
2. Metoprolol Succinate XL 50 mg PO DAILY 
3. Albuterol Inhaler 2 PUFF IH Q6H:PRN wheeze 
4. Acetaminophen 325-650 mg PO Q6H:PRN pain
5. MetFORMIN (Glucophage) ___ mg PO BID

 
Discharge Medications:
1. Apixaban 5 mg PO BID 
2. Levofloxacin 750 mg PO DAILY
 
Discharge Disposition:
Home
 
Discharge Diagnosis:
Community acquired pneumonia of the right lower lobe
COPD

 
Discharge Condition:
Mental Status: Clear and coherent.
 
Discharge Instructions:
Dear Ms. ___,
You were treated for pneumonia.
 
Followup Instructions:
___
`;

export const REPORT = ` 
EXAMINATION:  CHEST (PORTABLE AP)
 
INDICATION:  ___ year old woman with fever  // pneumonia?
 
TECHNIQUE:  Single frontal view.
 
COMPARISON:  Film of ___.
 
FINDINGS: 
 
There is a new opacity over the right base. HEART: normal size. No 
pneumothorax.
 
IMPRESSION: 
 
Right lower lobe pneumonia.
 
NOTIFICATION:  Told to Dr. ___ by phone at 4:10 pm.
`;
