/** The facts that a vignette must state, and those that it may. */
import type { Patient, Use } from '../../../schemas/patient.js';
import type { ReadKnowledge } from './sentences.js';

export interface Expected {
  readonly value: unknown;
  readonly required: boolean;
  /** A drug: needed as soon as the text tells the use of any, unless it tells something else of this one. */
  readonly drug?: string;
}

/** Facts by path. */
export function expectedFacts(
  patient: Patient,
  uses: readonly Use[],
  k: ReadKnowledge,
): ReadonlyMap<string, Expected> {
  return new Map([...ofPatient(patient), ...ofUses(uses, k)]);
}

const must = (value: unknown): Expected => ({ value, required: true });
const may = (value: unknown): Expected => ({ value, required: false });

function ofPatient(p: Patient): [string, Expected][] {
  const single = { age: p.age, sex: p.sex, setting: p.setting, ckd_stage: p.ckd_stage };
  const weeks = { postmenstrual_weeks: p.postmenstrual_weeks, gestation_weeks: p.gestation_weeks };
  return [
    ...Object.entries({ ...single, ...weeks }).filter(([, v]) => v !== null),
    ...Object.entries(p.measures).map(([m, q]) => [`measures/${m}`, q]),
    ...Object.entries(p.facts).map(([f, v]) => [`facts/${f}`, v]),
    ...p.medications.map((m) => [`medications/${m.drug}`, true]),
    ...p.stopped.map((s) => [`stopped/${s.drug}`, s.ago]),
    ...p.closed.map((c) => [`closed/${c}`, true]),
  ].map(([fact, value]) => [String(fact), must(value)]);
}

/** A use that is more than a start today must be told, and then that of every candidate that has an ordinary one. */
function ofUses(uses: readonly Use[], k: ReadKnowledge): [string, Expected][] {
  const isTold = uses.some(isSpecial);
  return uses.flatMap((use): [string, Expected][] => {
    const at = `uses/${use.drug}`;
    const kind = isSpecial(use) ? must : may;
    const typical = k.typical_use(use.drug);
    const parts = Object.entries({ ...use.facets, dose: use.dose, duration: use.duration });
    const { route, form } = use;
    return [
      ...parts
        .filter(([, v]) => v !== null && v !== undefined)
        .map(([f, v]): [string, Expected] => [`${at}/${f}`, kind(v)]),
      ...Object.entries({ route, form })
        .filter(([, v]) => v !== null)
        .map(([f, v]): [string, Expected] => [`${at}/${f}`, may(v)]),
      ...(typical === undefined || isSpecial(use)
        ? []
        : ([[`${at}/typical_use`, { value: typical.toLowerCase(), required: isTold, drug: use.drug }]] as [
            string,
            Expected,
          ][])),
    ];
  });
}

const isSpecial = (u: Use): boolean =>
  u.dose !== null ||
  u.duration !== null ||
  Object.entries(u.facets).some(([f, v]) => f !== 'phase' || v !== 'starting');
