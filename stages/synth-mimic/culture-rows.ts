/** microbiologyevents: rows of a culture, preliminary and final, with their own store times. */
import { PROVIDERS, provider, type Subject } from './context.js';
import { type DrawnCulture, MICRO_IDS_PER_SUBJECT } from './cultures.js';
import type { Organism } from './evidence.js';
import type { Stream } from './rng.js';
import type { MicroRow } from './rows.js';
import { DAY } from './time.js';

/** Tests that read growth under the microscope; itemids of the open demo. */
const STAINS: Readonly<Record<string, { itemid: number; name: string; prefix: string }>> = {
  'BLOOD CULTURE': { itemid: 90203, name: 'Aerobic Bottle Gram Stain', prefix: '' },
  SPUTUM: {
    itemid: 90270,
    name: 'GRAM STAIN',
    prefix: '>25 PMNs and <10 epithelial cells/100X field.  2+   (1-5 per 1000X FIELD):   ',
  },
  'CSF;SPINAL FLUID': {
    itemid: 90270,
    name: 'GRAM STAIN',
    prefix: '4+   (>10 per 1000X FIELD):   POLYMORPHONUCLEAR LEUKOCYTES.  2+   (1-5 per 1000X FIELD):   ',
  },
};

/** Appends the rows of every culture. */
export function cultureRows(s: Subject, cultures: readonly DrawnCulture[]): void {
  for (const c of cultures) oneCulture(s, c, s.stream(`culture rows ${c.microSpecimenId}`));
}

function oneCulture(s: Subject, c: DrawnCulture, r: Stream): void {
  const order_provider_id = r.chance(0.1) ? provider(r.int(0, PROVIDERS - 1)) : null;
  const add = (more: Partial<MicroRow> & { test_seq: number; storetime: number }): MicroRow =>
    addMicroRow(s, c, { order_provider_id, ...more });
  const stain = STAINS[c.spec];
  // In sputum and spinal fluid the stain is the first test, in blood the bottle is.
  const stainSeq = c.spec === 'BLOOD CULTURE' ? 2 : 1;
  const test_seq = stain && stainSeq === 1 ? 2 : 1;
  const [found] = c.organisms;
  if (!found) {
    const comments = c.test.negativeComment;
    if (c.preliminaryAt < c.finalAt) {
      add({ test_seq, storetime: c.preliminaryAt, comments: `PRELIMINARY: ${comments}` });
    }
    add({ test_seq, storetime: c.finalAt, comments });
    return;
  }
  if (stain && c.preliminaryAt < c.finalAt) {
    const { itemid, name, prefix } = stain;
    const comments = `${prefix}${underMicroscope(found)}  `;
    add({
      test_seq: stainSeq,
      storetime: c.preliminaryAt,
      test_itemid: itemid,
      test_name: name,
      comments,
    });
  }
  const grown = {
    test_seq,
    storetime: c.finalAt,
    org_itemid: found.orgItemid,
    org_name: found.orgName,
    isolate_num: 1,
    comments: c.spec === 'SPUTUM' ? 'SPARSE GROWTH Commensal Respiratory Flora.  ' : null,
  };
  if (found.susceptibilities.length === 0) add(grown);
  for (const x of found.susceptibilities) {
    add({
      ...grown,
      ab_itemid: x.abItemid,
      ab_name: x.abName,
      interpretation: x.interpretation,
      ...dilution(x),
    });
  }
}

/** Appends one row of a culture with the next event id. */
export function addMicroRow(
  s: Subject,
  c: DrawnCulture,
  more: Partial<MicroRow> & { test_seq: number; storetime: number },
): MicroRow {
  const row: MicroRow = {
    microevent_id: s.person.i * MICRO_IDS_PER_SUBJECT + ++s.ids.micro,
    subject_id: s.subject_id,
    hadm_id: c.hadmId,
    micro_specimen_id: c.microSpecimenId,
    order_provider_id: null,
    chartdate: Math.floor(c.drawnAt / DAY) * DAY,
    charttime: c.drawnAt,
    spec_itemid: c.test.specItemid,
    spec_type_desc: c.spec,
    storedate: Math.floor(more.storetime / DAY) * DAY,
    test_itemid: c.test.testItemid,
    test_name: c.testName,
    org_itemid: null,
    org_name: null,
    isolate_num: null,
    quantity: null,
    ab_itemid: null,
    ab_name: null,
    dilution_text: null,
    dilution_comparison: null,
    dilution_value: null,
    interpretation: null,
    comments: null,
    ...more,
  };
  s.rows.microbiologyevents.push(row);
  return row;
}

function underMicroscope(o: Organism): string {
  if (o.kind === 'yeast') return 'BUDDING YEAST.';
  if (/NEISSERIA/.test(o.orgName)) return 'GRAM NEGATIVE DIPLOCOCCI.';
  if (o.kind !== 'gram_positive') return 'GRAM NEGATIVE ROD(S).';
  if (/LISTERIA/.test(o.orgName)) return 'GRAM POSITIVE ROD(S).';
  return /^STAPH/.test(o.orgName)
    ? 'GRAM POSITIVE COCCI IN CLUSTERS.'
    : 'GRAM POSITIVE COCCI IN PAIRS AND CHAINS.';
}

/** Usual inhibitory concentrations, mcg/mL: lowest tested for S, highest for R, one between for I. */
const CONCENTRATIONS: Readonly<Record<string, readonly [number, number, number]>> = {
  GENTAMICIN: [1, 8, 16],
  'TRIMETHOPRIM/SULFA': [1, 4, 16],
  CIPROFLOXACIN: [0.25, 2, 4],
  LEVOFLOXACIN: [0.12, 4, 8],
  CEFEPIME: [1, 16, 64],
  MEROPENEM: [0.25, 2, 8],
  CEFTAZIDIME: [1, 16, 64],
  'PIPERACILLIN/TAZO': [4, 64, 128],
  CEFTRIAXONE: [1, 32, 64],
  AMPICILLIN: [2, 16, 32],
  'AMPICILLIN/SULBACTAM': [2, 16, 32],
  CEFAZOLIN: [4, 16, 64],
  NITROFURANTOIN: [16, 64, 256],
  OXACILLIN: [0.25, 2, 4],
  VANCOMYCIN: [0.5, 8, 32],
  CLINDAMYCIN: [0.25, 2, 8],
};

type Dilution = Pick<MicroRow, 'dilution_text' | 'dilution_comparison' | 'dilution_value'>;

/** The comparison is padded to ten characters as in the release; drugs tested by disk have none. */
function dilution(x: Organism['susceptibilities'][number]): Dilution {
  const steps = CONCENTRATIONS[x.abName];
  if (!steps) return { dilution_text: null, dilution_comparison: null, dilution_value: null };
  const [sign, at] = { S: ['<=', 0], I: ['=', 1], R: ['=>', 2] }[x.interpretation] as [string, 0 | 1 | 2];
  const value = steps[at];
  return {
    dilution_text: sign === '=' ? String(value) : `${sign}${value}`,
    dilution_comparison: sign.padEnd(10),
    dilution_value: value,
  };
}
