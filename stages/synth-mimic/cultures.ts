/** Cultures of the index admission: what was sent when, what grew, and when each result could be read. */
import type { Condition } from './conditions.js';
import type { Stay, Subject } from './context.js';
import type { Culture, Organism } from './evidence.js';
import type { Germ, Microbiology, Test } from './microbiology.js';
import type { Stream } from './rng.js';
import { HOUR, MINUTE } from './time.js';

/** A culture and the test it belongs to. */
export interface DrawnCulture extends Culture {
  readonly test: Test;
}

/** Hours from the draw to results, low and high; times in the open demo lie in these ranges. */
interface Delay {
  /** First readable growth where something grows; null: nothing before the final result. */
  readonly growth: readonly [number, number] | null;
  readonly positive: readonly [number, number];
  readonly negative: readonly [number, number];
}

const BLOOD = 'BLOOD CULTURE';
const DELAYS: Readonly<Record<string, Delay>> = {
  [BLOOD]: { growth: [10, 34], positive: [52, 108], negative: [122, 149] },
  URINE: { growth: null, positive: [41, 70], negative: [21, 38] },
  SPUTUM: { growth: [2, 8], positive: [48, 84], negative: [49, 80] },
  STOOL: { growth: null, positive: [6, 26], negative: [6, 26] },
  'MRSA SCREEN': { growth: null, positive: [44, 64], negative: [44, 64] },
  'CSF;SPINAL FLUID': { growth: [1, 4], positive: [50, 76], negative: [70, 96] },
};

/** A culture that is negative for longer than this is first reported as negative so far. */
const NEGATIVE_SO_FAR = 48 * HOUR;

/** Shares of patients who get the cultures that everybody may get, by specimen. */
const ANYBODY: Readonly<Record<string, number>> = { [BLOOD]: 0.22, URINE: 0.25, 'MRSA SCREEN': 0.62 };
/** A culture that a diagnosis calls for is nearly always sent. */
const SENT = 0.95;
/** The second blood culture of a pair grows what the first one did. */
const SECOND_GROWS = 0.62;
/** Still positive on the day after. */
const REPEAT_GROWS = 0.22;
/** What grew elsewhere in this patient is what the next culture grows, if it can. */
const SAME_GERM = 0.75;

interface Drawing {
  readonly s: Subject;
  readonly tables: Microbiology;
  readonly hadmId: number;
  readonly first: number;
  readonly end: number;
  readonly cultures: DrawnCulture[];
  readonly grown: Set<string>;
}

/** Cultures of a subject by time of drawing; empty for nobody but by chance. */
export function culturesOf(
  s: Subject,
  tables: Microbiology,
  stay: Stay,
  at: { conditions: readonly Condition[]; admittime: number; end: number },
): DrawnCulture[] {
  const d: Drawing = {
    s,
    tables,
    hadmId: stay.hadm_id,
    first: at.admittime + 5 * MINUTE,
    end: at.end,
    cultures: [],
    grown: new Set(),
  };
  // Other sources before blood, so that blood can grow what they grew.
  const isBlood = (t: Test): number => (t.spec === BLOOD ? 1 : 0);
  const byDx = d.tables.tests.filter((t) => t.dxKey !== '*').sort((a, b) => isBlood(a) - isBlood(b));
  const sent = new Map<string, number>();
  for (const test of byDx) {
    const condition = at.conditions.find((c) => c.dx.key === test.dxKey);
    if (!condition || condition.origin === 'before') continue;
    const r = s.stream(`culture ${test.dxKey} ${test.spec}`);
    const t = Math.max(condition.onsetAt, d.first) + r.int(5, 150) * MINUTE;
    // Sepsis, septicemia and shock call for the same bottles.
    const key = `${test.spec} ${Math.floor(t / (12 * HOUR))}`;
    if (sent.has(key) || !r.chance(SENT)) continue;
    sent.set(key, t);
    send(d, test, t, r);
  }
  for (const test of d.tables.tests.filter((t) => t.dxKey === '*')) {
    const r = s.stream(`culture ${test.dxKey} ${test.spec}`);
    if (!r.chance(ANYBODY[test.spec] ?? 0)) continue;
    const isScreen = test.spec === 'MRSA SCREEN';
    const span = Math.max(HOUR, d.end - stay.t0);
    send(d, test, isScreen ? stay.t0 + r.int(10, 400) * MINUTE : stay.t0 + r.float() * span, r);
  }
  return d.cultures.sort((a, b) => a.drawnAt - b.drawnAt || a.microSpecimenId - b.microSpecimenId);
}

/** Sends a culture; blood goes in two bottles, and again on the next days once something grew. */
function send(d: Drawing, test: Test, t: number, r: Stream): void {
  const germ = r.chance(test.probPositive) ? choose(d, test, r) : null;
  culture(d, test, t, germ, r);
  if (test.spec !== BLOOD) return;
  culture(d, test, t + r.int(4, 40) * MINUTE, germ && r.chance(SECOND_GROWS) ? germ : null, r);
  let still = germ;
  for (let day = 1; still && day <= 3; day++) {
    still = r.chance(REPEAT_GROWS) ? still : null;
    culture(d, test, t + day * 24 * HOUR + r.int(0, 360) * MINUTE, still, r);
  }
}

function choose(d: Drawing, test: Test, r: Stream): Germ {
  const known = test.organisms.find((o) => d.grown.has(o.value));
  const name = known && r.chance(SAME_GERM) ? known.value : r.weighted(test.organisms).value;
  if (test.dxKey !== '*') d.grown.add(name);
  return d.tables.germs.get(name)!;
}

function culture(d: Drawing, test: Test, at: number, germ: Germ | null, r: Stream): void {
  const drawnAt = Math.max(d.first, Math.floor(at / MINUTE) * MINUTE);
  if (drawnAt >= d.end) return;
  const delay = DELAYS[test.spec]!;
  const after = ([low, high]: readonly [number, number]): number =>
    drawnAt + Math.floor(r.uniform(low, high) * 60) * MINUTE;
  const finalAt = after(germ ? delay.positive : delay.negative);
  const isSlow = delay.growth !== null && finalAt - drawnAt > NEGATIVE_SO_FAR;
  const soFar = isSlow ? drawnAt + NEGATIVE_SO_FAR - r.int(1, 90) * MINUTE : finalAt;
  const growth = germ && delay.growth ? after(delay.growth) : finalAt;
  d.cultures.push({
    hadmId: d.hadmId,
    microSpecimenId: d.s.person.i * MICRO_IDS_PER_SUBJECT + d.cultures.length + 1,
    spec: test.spec,
    testName: test.testName,
    drawnAt,
    preliminaryAt: germ ? growth : soFar,
    finalAt,
    organisms: germ ? [organism(germ, r)] : [],
    test,
  });
}

/** A urine culture outside the course of the illness, negative after a day; with a specimen id of its own. */
export function extraCulture(s: Subject, tables: Microbiology, stay: Stay, drawnAt: number): DrawnCulture {
  const test = tables.tests.find((t) => t.dxKey === '*' && t.spec === 'URINE')!;
  const finalAt = drawnAt + 26 * HOUR;
  return {
    hadmId: stay.hadm_id,
    // Specimens of the course are numbered from 1; there are never so many.
    microSpecimenId: s.person.i * MICRO_IDS_PER_SUBJECT + MICRO_IDS_PER_SUBJECT - 1 - s.ids.micro,
    spec: test.spec,
    testName: test.testName,
    drawnAt,
    preliminaryAt: finalAt,
    finalAt,
    organisms: [],
    test,
  };
}

/** Room in the id ranges of specimens and micro events; N = 100,000 stays below 2^31. */
export const MICRO_IDS_PER_SUBJECT = 1000;

const CEPHALOSPORINS = /^CEF/;
const INTERMEDIATE = 0.1;

/** A germ with its results; cephalosporins fall together, from the oldest on. */
function organism(germ: Germ, r: Stream): Organism {
  const shared = r.float();
  return {
    orgItemid: germ.itemid,
    orgName: germ.name,
    kind: germ.kind,
    susceptibilities: germ.drugs.map((drug) => {
      const own = r.float();
      const isSusceptible = (CEPHALOSPORINS.test(drug.name) ? shared : own) < drug.susceptible;
      const isBetween = r.chance(INTERMEDIATE) && drug.susceptible > 0;
      return {
        abItemid: drug.itemid,
        abName: drug.name,
        interpretation: isSusceptible ? 'S' : isBetween && !CEPHALOSPORINS.test(drug.name) ? 'I' : 'R',
      };
    }),
  };
}

const isCocci = (o: Organism): boolean => o.kind === 'gram_positive' && !/LISTERIA/.test(o.orgName);
const resists = (o: Organism, drug: string): boolean =>
  o.susceptibilities.some((x) => x.abName === drug && x.interpretation === 'R');

/** Whether the germ counts as growth: not a screen, a contaminated urine or a cancelled test. */
const isGrowth = (o: Organism): boolean => !/^(contaminant|screen|not_a_result)$/.test(o.kind);

/**
 * The micro tags of drug_indications.csv that hold at a moment (synthetic README): gpc_blood and yeast_blood from the
 * first growth on, mssa_blood, yeast_urine and esbl from the final result on, negative_48h while nothing has grown 48 h
 * after the last draw so far.
 */
export function microTags(cultures: readonly Culture[], at: number): Set<string> {
  const tags = new Set<string>();
  const sent = cultures.filter((c) => c.drawnAt <= at);
  for (const c of sent) for (const o of c.organisms) addTags(tags, c, o, at);
  const last = Math.max(...sent.map((c) => c.drawnAt));
  const hasGrowth = sent.some((c) => c.preliminaryAt <= at && c.organisms.some(isGrowth));
  const isRead = sent.every((c) => c.preliminaryAt <= at);
  if (sent.length > 0 && !hasGrowth && isRead && at - last >= NEGATIVE_SO_FAR) tags.add('negative_48h');
  return tags;
}

function addTags(tags: Set<string>, c: Culture, o: Organism, at: number): void {
  const isBlood = c.spec === BLOOD;
  if (isBlood && c.preliminaryAt <= at) {
    if (isCocci(o)) tags.add('gpc_blood');
    if (o.kind === 'yeast') tags.add('yeast_blood');
  }
  if (c.finalAt > at) return;
  if (c.spec === 'URINE' && o.kind === 'yeast') tags.add('yeast_urine');
  if (isBlood && o.orgName === 'STAPH AUREUS COAG +' && !resists(o, 'OXACILLIN')) tags.add('mssa_blood');
  if (/^(ESCHERICHIA COLI|KLEBSIELLA)/.test(o.orgName) && resists(o, 'CEFTRIAXONE')) tags.add('esbl');
}
