/** How a candidate would be used, in words. */
import type { Use } from '../../schemas/patient.js';
import { FORMULATIONS } from './formulations.js';
import { capital } from './people.js';
import type { Said, Telling } from './telling.js';

/** True when more is to be said than that the drug would be started. */
export function statesUse(use: Use): boolean {
  const { phase, ...rest } = use.facets;
  return (
    Object.keys(rest).length > 0 ||
    (phase !== undefined && phase !== 'starting') ||
    use.dose !== null ||
    use.duration !== null
  );
}

const LINE: Readonly<Record<string, string>> = {
  first: 'as first-line treatment',
  second: 'as second-line treatment',
  later: 'after two or more other treatments',
};
const PATTERN: Readonly<Record<string, string>> = {
  chronic: 'as a long-term daily medicine',
  scheduled: 'on a regular schedule',
  short_term_scheduled: 'on a regular schedule for a few days',
  as_needed: 'to be taken now and then as needed',
  persistent_as_needed: 'to be taken as needed, again and again over a long time',
  short_term: 'as a short course',
  suppressive: 'as long-term suppressive treatment',
};
const REGIMEN: Readonly<Record<string, string>> = {
  '750_mg_daily': 'at 750 mg daily',
  adjunct: 'as an addition to another drug for the same illness',
  basal_and_correction: 'as correction doses on top of basal insulin',
  high_dose: 'at a high dose',
  low_dose: 'at a low dose',
  sliding_scale_alone: 'on a sliding scale without basal insulin',
};
const PURPOSE: Readonly<Record<string, string>> = {
  primary_prevention: 'for primary prevention',
  secondary_prevention: 'for secondary prevention',
  glucose_lowering: 'to lower blood glucose',
  treatment: 'as treatment rather than prophylaxis',
  prophylaxis: 'as prophylaxis rather than treatment',
};
const UNIT: Readonly<Record<string, string>> = {
  'mg/d': 'mg a day',
  'ug/d': 'micrograms a day',
  'g/d': 'g a day',
  mg: 'mg',
};
const TIME: Readonly<Record<string, string>> = { h: 'hour', d: 'day', wk: 'week', mo: 'month', a: 'year' };

/** A drug with the form and route that its use states. */
export function drugText(use: Use): string {
  const form = use.form === null ? '' : `${use.form.replace('_', '-')} `;
  const route = use.route === null ? '' : `${use.route.replaceAll('_', ' ')} `;
  return `${route}${form}${use.drug}`;
}

/** One option as it is printed: form and route of the use where it states them, and the ordinary formulation of the drug. */
export function optionText(use: Use): string {
  const words = use.form === null ? FORMULATIONS.get(use.drug) : undefined;
  if (words === undefined) return drugText(use);
  if (use.route === null) return words.replace('*', use.drug);
  const solid = use.route === 'oral' ? /tablets|capsules/.exec(words)?.[0] : undefined;
  return solid === undefined ? drugText(use) : `${drugText(use)} ${solid}`;
}

/**
 * When the use of one candidate matters, the use of each is told, so that a mention gives nothing away: that of others as
 * what they are there for, should it come up, since the patient has no illness but those named.
 */
export function useSentences(t: Telling): Said[] {
  if (t.every((m) => !m.uses.some(statesUse))) return [];
  const distinct = [...new Map(t.spec.uses.map((u) => [u.drug, u])).values()];
  return distinct.flatMap((use) => {
    const typical = t.spec.typical_use(use.drug);
    // What one member has to say, all say.
    const says = !t.every((m) => m.uses.every((u) => u.drug !== use.drug || !statesUse(u)));
    if (says) return [plan(t, use)];
    return typical === undefined ? [] : [ordinary(t, use, typical)];
  });
}

/** `hay fever, nasal` as `for hay fever (nasal)`, `zinc supplement` as `as a zinc supplement`. */
function purposeText(typical: string): string {
  const [what, ...more] = typical.split(', ');
  const how = more.length === 0 ? '' : ` (${more.join(', ')})`;
  return /^\w+(?: \w+)? supplement$/.test(what!) ? `as a ${what}${how}` : `for ${what}${how}`;
}

function ordinary(t: Telling, use: Use, typical: string): Said {
  const [drug, what] = [drugText(use), purposeText(typical)];
  return {
    sentence: t.pick(`ordinary use ${use.drug}`, [
      `${capital(drug)} would be used only ${what}, should the need arise.`,
      `Should the need arise, ${drug} would be used ${what}.`,
      `If it were needed, ${drug} would be given ${what}.`,
    ]),
    facts: [`uses/${use.drug}/typical_use`],
  };
}

/** What is planned for the patient. */
function plan(t: Telling, use: Use): Said {
  const { facets } = use;
  const told: [string, string | undefined][] = [
    ['dose', use.dose ? `at ${use.dose.value} ${UNIT[use.dose.unit] ?? use.dose.unit}` : undefined],
    ['regimen', REGIMEN[facets.regimen ?? '']],
    ['line_of_therapy', LINE[facets.line_of_therapy ?? '']],
    ...goal(t, use),
    ['pattern', PATTERN[facets.pattern ?? '']],
    ['duration', use.duration ? `for a total of ${timeText(use.duration)}` : undefined],
  ];
  for (const f of Object.keys(facets)) {
    if (f !== 'phase' && !told.some(([k, words]) => k === f && words !== undefined))
      throw new Error(`no words for ${f} ${facets[f as keyof typeof facets]}`);
  }
  const parts = told.flatMap(([, words]) => (words ? [words] : []));
  const facts = statesUse(use) ? ['phase', ...told.flatMap(([f, w]) => (w === undefined ? [] : [f]))] : [];
  return {
    sentence: `${[phase(t, use), ...parts].join(' ')}.`,
    facts: facts.map((f) => `uses/${use.drug}/${f}`),
  };
}

/** Indication and purpose: `for prophylaxis of venous thromboembolism` is one phrase. */
function goal(t: Telling, { facets }: Use): [string, string | undefined][] {
  const { indication: key, purpose } = facets;
  const to = PURPOSE[purpose ?? ''];
  if (!key) return [['purpose', to]];
  const name =
    t.spec.words.get(key)?.indication ||
    (t.spec.concepts.has(key) ? t.spec.concepts.get(key).name : key.replaceAll('_', ' '));
  if (purpose === 'treatment' || purpose === 'prophylaxis')
    return [
      ['purpose', `for ${purpose} of ${name}`],
      ['indication', ''],
    ];
  return [
    ['indication', /^to /.test(name) ? name : `for ${name}`],
    ['purpose', to],
  ];
}

const timeText = (q: { value: number; unit: string }): string =>
  `${q.value} ${TIME[q.unit] ?? q.unit}${q.value === 1 ? '' : 's'}`;

function phase(t: Telling, use: Use): string {
  const drug = drugText(use);
  switch (use.facets.phase) {
    case 'continuing':
      return t.pick('plan', [`{She} already takes ${drug}`, `{She} has been taking ${drug}`]);
    case 'stopping':
      return t.pick('plan', [`{She} is about to stop ${drug}`]);
    default:
      return t.pick('plan', [`${capital(drug)} would be started`, `{She} would start ${drug}`]);
  }
}
