/** Medicines taken and stopped, and allergies. */
import type { Quantity } from '../../schemas/patient.js';
import { listed } from './people.js';
import type { Said, Telling } from './telling.js';

const AGO: Readonly<Record<string, string>> = { h: 'hour', d: 'day', wk: 'week', mo: 'month', a: 'year' };

/** `18 months` for one and a half years. */
function time(q: Quantity): string {
  const { value, unit } = q.unit === 'a' && q.value % 1 !== 0 ? { value: q.value * 12, unit: 'mo' } : q;
  return `${value} ${AGO[unit] ?? unit}${value === 1 ? '' : 's'}`;
}

/** Drugs stopped, drugs taken, allergies. */
export function medications(t: Telling): Said[] {
  return [...stopped(t), ...taken(t), ...allergies(t)];
}

const stopped = (t: Telling): Said[] =>
  t.spec.patient.stopped.map(({ drug, ago }) => ({
    sentence: t.pick('stopped', [
      `{She} took the last dose of ${drug} ${time(ago)} ago.`,
      `{Her} last dose of ${drug} was ${time(ago)} ago.`,
    ]),
    facts: [`stopped/${drug}`],
  }));

function taken(t: Telling): Said[] {
  const { patient } = t.spec;
  const names = patient.medications.map((m) => m.drug);
  const isClosed = patient.closed.includes('medications');
  if (names.length === 0 && !isClosed) return [];
  const facts = [...names.map((n) => `medications/${n}`), ...(isClosed ? ['closed/medications'] : [])];
  return [{ sentence: t.pick('taken', words(names, isClosed, hasContinued(t))), facts }];
}

/** A candidate may be taken already: then the list of medicines leaves it to its own sentence, in every member. */
const hasContinued = (t: Telling): boolean =>
  !t.every((m) => m.uses.every((u) => u.facets.phase !== 'continuing'));

function words(names: readonly string[], isClosed: boolean, hasOthers: boolean): string[] {
  const drugs = listed(names);
  if (!isClosed) return [`{She} takes ${drugs}.`];
  const start = hasOthers ? 'Apart from any drug discussed below, ' : '';
  const She = hasOthers ? '{she}' : '{She}';
  if (names.length === 0) {
    return [`${start}${She} takes no medicines.`, `${start}${She} is on no medication.`];
  }
  const medicine = names.length > 1 ? 'medicines are' : 'medicine is';
  return [
    `${start}${hasOthers ? '{her}' : '{Her}'} only ${medicine} ${drugs}.`,
    names.length > 1
      ? `${start}${She} takes no medicines other than ${drugs}.`
      : `${start}${She} takes ${drugs} and no other medicine.`,
  ];
}

function allergies(t: Telling): Said[] {
  if (!t.spec.patient.closed.includes('allergies')) return [];
  const hasOne = Object.entries(t.spec.patient.facts).some(
    ([f, value]) => value && t.spec.concepts.get(f).kind === 'allergy',
  );
  const list = hasOne
    ? ['{She} has no other known drug allergies.', 'No other drug allergies are known.']
    : ['{She} has no known drug allergies.', 'No drug allergies are known.'];
  return [{ sentence: t.pick('allergies', list), facts: ['closed/allergies'] }];
}
