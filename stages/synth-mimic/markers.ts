/** Heart markers and other tests that stand alone; results below a limit stand in comments only. */
import type { LabRun } from './lab-writer.js';
import { round } from './math.js';
import { HOUR, MINUTE } from './time.js';
import { seenProb } from './values.js';

/** Share of stays whose troponin D31 brings; the others are drawn so that the total fits items.csv. */
const BY_LEDGER = 0.25;

/** Troponin, CK, natriuretic peptide, D-dimer, haptoglobin, toxicology and cerebrospinal fluid. */
export function markers(run: LabRun): void {
  const { seen, r, id } = run;
  const first = run.stay.t0 + (run.isLate ? 490 : r.int(5, 200)) * MINUTE;
  troponin(run, first);
  if (seen.has('ck')) {
    const d = run.w.draw(first + 3 * MINUTE);
    d.num(id('ck'), run.series('ck').rounded(run.hours(first)), 'IU/L');
    if (seen.has('ckmb')) d.num(id('ckmb'), run.series('ckmb').rounded(run.hours(first)), 'ng/mL');
  }
  for (const key of ['bnp', 'ddimer', 'esr', 'nh3'] as const) {
    if (!seen.has(key)) continue;
    const item = run.s.numbers.itemByKey.get(key)!;
    const isAlt = key === 'ddimer' && r.chance(item.altProb);
    const d = run.w.draw(first + r.int(0, 60) * MINUTE);
    d.num(isAlt ? item.altItemid : item.itemid, run.series(key).rounded(2), item.unit);
  }
  if (seen.has('hapto')) {
    const v = run.series('hapto').rounded(2);
    const d = run.w.draw(first + 9 * MINUTE);
    if (v < 10) d.text(50935, null, '<10*.', 'mg/dL');
    else d.num(50935, v, 'mg/dL');
  }
  if (seen.has('etoh') || seen.has('apap')) toxicology(run, first + 4 * MINUTE);
  if (seen.has('csf_wbc')) {
    const d = run.w.draw(first + 150 * MINUTE);
    for (const key of ['csf_wbc', 'csf_prot', 'csf_glu'])
      d.num(id(key), run.series(key).rounded(3), run.unit(key));
  }
}

function troponin(run: LabRun, first: number): void {
  const { s, r } = run;
  if (s.wants.has('D31') && run.stay.n === 0) return;
  const p = seenProb(s, s.numbers.itemByKey.get('tnt')!);
  if (!r.chance((p - BY_LEDGER) / (1 - BY_LEDGER))) return;
  for (let k = 0, t = first; k < 3; k++, t += r.int(5, 9) * HOUR) {
    const d = run.w.draw(t);
    const v = run.series('tnt').next(run.hours(t));
    if (v < 0.01) d.text(51003, null, '<0.01.  BELOW THE LIMIT OF DETECTION.', 'ng/mL');
    else d.num(51003, round(v, 2), 'ng/mL');
    if (r.chance(0.3)) break;
  }
}

/** Ethanol, acetaminophen and salicylate: NEG stands in comments. */
function toxicology(run: LabRun, t: number): void {
  const d = run.w.draw(t);
  const put = (itemid: number, v: number, unit: string): void => {
    if (v < 1) d.text(itemid, null, 'NEG.', unit);
    else d.num(itemid, v, unit);
  };
  put(50922, run.series('etoh').rounded(1), 'mg/dL');
  put(50856, run.series('apap').rounded(1), 'ug/mL');
  put(50981, run.r.chance(0.05) ? run.r.int(3, 40) : 0, 'mg/dL');
}
