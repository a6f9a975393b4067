/** What a subject brings along: allergies and home medicines. Streams of its own; nothing here depends on planted faults. */
import type { Course } from './admission.js';
import type { Subject } from './context.js';
import type { AllergyDraw, Background, HomeDrug } from './evidence.js';
import type { Drug, Formulary, Indication } from './formulary.js';
import { drawOnsets } from './onset.js';

/** Share of allergic patients with a second and with a third allergy. */
const SECOND = 0.22;
const THIRD = 0.25;

/** Allergies, home medicines and onsets of a subject. */
export function drawBackground(s: Subject, formulary: Formulary, course: Course): Background {
  const allergies = drawAllergies(s, formulary);
  const home = drawHome(s, formulary, allergies);
  return { allergies, home, onset: drawOnsets(s, course, new Set(home.map((h) => h.dxKey))) };
}

function drawAllergies(s: Subject, { allergies }: Formulary): AllergyDraw[] {
  const r = s.stream('allergies');
  const first = r.weighted(allergies);
  if (first.key === 'none') return [];
  const drawn = [first];
  const more = r.chance(SECOND) ? (r.chance(THIRD) ? 2 : 1) : 0;
  for (let n = 0; n < more; n++) {
    drawn.push(r.weighted(allergies.filter((a) => a.key !== 'none' && !drawn.includes(a))));
  }
  return drawn.map(({ key, noteString, tag }) => ({ key, noteString, tag }));
}

/** Groups of which nobody takes two; ACE inhibitors and ARBs count as one. */
const ONE_OF: Readonly<Record<string, string>> = {
  ace_inhibitor: 'renin',
  arb: 'renin',
  anticoagulant: 'anticoagulant',
  beta_blocker: 'beta_blocker',
  calcium_blocker: 'calcium_blocker',
  antidepressant: 'antidepressant',
  loop_diuretic: 'loop_diuretic',
  ppi: 'acid',
  h2_blocker: 'acid',
  opioid: 'opioid',
  benzodiazepine: 'benzodiazepine',
};

/** Allergies that keep a drug off the home list. */
const KEPT_OFF: Readonly<Record<string, readonly string[]>> = {
  ace_inhibitor: ['lisinopril'],
  aspirin: ['aspirin', 'ibuprofen'],
  statin: ['atorvastatin'],
  sulfa: ['smx_tmp'],
  codeine: ['oxycodone', 'tramadol'],
};

function drawHome(s: Subject, formulary: Formulary, allergies: readonly AllergyDraw[]): HomeDrug[] {
  const taken = new Set<string>();
  const refused = new Set(allergies.flatMap((a) => KEPT_OFF[a.tag ?? ''] ?? []));
  const home: HomeDrug[] = [];
  for (const drug of [...formulary.drugs.values()].sort((a, b) => (a.key < b.key ? -1 : 1))) {
    if (drug.homeProb === 0 || refused.has(drug.key)) continue;
    const found = reasonOf(s, formulary, drug);
    if (found === undefined || !s.stream(`home ${drug.key}`).chance(drug.homeProb)) continue;
    const group = ONE_OF[drug.group] ?? drug.name;
    if (taken.has(group)) continue;
    taken.add(group);
    home.push({ drugKey: drug.key, ...found });
  }
  return home;
}

/** Why the subject might take the drug: a CONTINUATION row whose diagnosis it has; nothing where all rows miss. */
function reasonOf(
  s: Subject,
  { indications }: Formulary,
  drug: Drug,
): { dxKey: string | null; ruleId: string | null } | undefined {
  const rows = indications.filter((x) => x.drugKey === drug.key && x.role === 'CONTINUATION');
  if (rows.length === 0) return { dxKey: null, ruleId: null };
  const fits = rows.find((x) => dxOf(x) === null || s.has(dxOf(x)!));
  if (!fits) return undefined;
  return { dxKey: dxOf(fits), ruleId: fits.id };
}

/** The diagnosis that starts a rule; null where something else does. */
const dxOf = ({ trigger }: Indication): string | null =>
  trigger.kind === 'has' && trigger.of === 'dx' ? trigger.key : null;
