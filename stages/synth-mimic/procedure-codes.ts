/** procedures_icd of the index admission: what was done in the stay, dated by day only. */
import type { Stay, Subject } from './context.js';
import { DAY } from './time.js';

/** Appends the ICD procedure codes of a stay. */
export function procedureCodes(s: Subject, stay: Stay): void {
  const r = s.stream('procedure codes');
  const done: [string, number][] = [];
  const add = (key: string, t: number): void => void done.push([key, t]);
  if (stay.vent) add('invasive_vent', stay.vent.start);
  if (stay.vent && r.chance(0.7)) add('intubation', stay.vent.start);
  if (stay.niv) add('niv', stay.niv.start);
  if (stay.artLine && r.chance(0.3)) add('arterial_line', stay.artLine.start);
  if (stay.centralLine && r.chance(0.8)) add('central_line', stay.centralLine.start);
  if (stay.dialysis) add('dialysis', stay.dialysis.start);
  if (stay.crrt) add('crrt', stay.crrt.start);
  const chances: readonly [string, string, number][] = [
    ['gi_bleed', 'endoscopy', 0.6],
    ['variceal_bleed', 'endoscopy', 0.85],
    ['nstemi', 'cath', 0.5],
    ['stemi_anterior', 'cath', 0.85],
    ['cirrhosis_alcohol', 'paracentesis', 0.25],
    ['pleural_effusion', 'thoracentesis', 0.25],
    ['pneumothorax', 'chest_tube', 0.5],
    ['hip_fracture', 'surgery_hip', 0.85],
    ['bowel_ischemia', 'surgery_bowel', 0.5],
    ['blood_loss_anemia', 'transfusion', 0.4],
    ['meningitis_bacterial', 'lumbar_puncture', 0.7],
  ];
  for (const [dx, key, p] of chances) if (s.has(dx) && r.chance(p)) add(key, stay.t0 + r.int(0, 2) * DAY);
  if (/Cardiac Vascular/.test(stay.unit) && s.has('cad') && r.chance(0.45)) add('surgery_cabg', stay.t0);
  const version = s.rows.diagnoses_icd[0]!.icd_version;
  const seen = new Set<string>();
  for (const [key, t] of done) {
    const icd_code = s.numbers.procedures.get(key)!.icd9_icd10pcs!.split(';')[version === 9 ? 0 : 1]!;
    if (seen.has(icd_code)) continue;
    seen.add(icd_code);
    s.rows.procedures_icd.push({
      subject_id: s.subject_id,
      hadm_id: stay.hadm_id,
      seq_num: seen.size,
      chartdate: Math.floor(t / DAY),
      icd_code,
      icd_version: version,
    });
  }
}
