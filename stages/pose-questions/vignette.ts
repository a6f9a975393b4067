/** A vignette from a structured patient: every fact in a sentence, and for every sentence the facts it states. */
import type { FactSentence } from '../../schemas/medpic.js';
import type { ConceptKind } from '../lib/rules/concepts.js';
import { medications } from './medication-words.js';
import { isNotable, numbers } from './number-words.js';
import { opening } from './openings.js';
import { reproduction, TOLD_TOGETHER } from './reproduction-words.js';
import { type Said, type Telling, telling, type VignetteSpec } from './telling.js';
import { useSentences } from './use-words.js';

export type { Told, VignetteSpec } from './telling.js';

export interface Vignette {
  readonly text: string;
  readonly facts: readonly FactSentence[];
}

/** Renders the vignette. */
export function renderVignette(spec: VignetteSpec): Vignette {
  const t = telling(spec);
  const said = [
    opening(t),
    ...conditions(t),
    ...reproduction(t),
    ...numbers(t),
    ...circumstances(t),
    ...nothingElse(t),
    ...medications(t),
    ...useSentences(t),
  ];
  return {
    text: said.map((s) => s.sentence).join(' '),
    facts: said.flatMap((s) => s.facts.map((fact) => ({ fact, sentence: s.sentence }))),
  };
}

/** Facts of some kinds, by key. */
const factsOf = (t: Telling, kinds: readonly ConceptKind[]): { key: string; value: boolean }[] =>
  Object.entries(t.spec.patient.facts)
    .filter(([key]) => kinds.includes(t.spec.concepts.get(key).kind))
    .map(([key, value]) => ({ key, value }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));

function conditions(t: Telling): Said[] {
  const stage = t.spec.patient.ckd_stage;
  const kidney =
    stage === null
      ? []
      : [{ sentence: `${t.p.She} has chronic kidney disease stage ${stage}.`, facts: ['ckd_stage'] }];
  return [...kidney, ...factsOf(t, ['condition']).map((f) => sayFact(t, f.key, f.value))];
}

const NOTHING_ELSE = ['{Her} medical history is *unremarkable.', '{She} has no + medical conditions.'];

/** `otherwise` and `other` where something was told before. */
function nothingElse(t: Telling): Said[] {
  const { patient } = t.spec;
  if (!patient.closed.includes('conditions')) return [];
  const has =
    factsOf(t, ['condition']).some((f) => f.value) || patient.ckd_stage !== null || isNotable(patient);
  const sentence = t
    .pick('nothing else', NOTHING_ELSE)
    .replace('*', has ? 'otherwise ' : '')
    .replace('+ ', has ? 'other ' : '');
  return [{ sentence, facts: ['closed/conditions'] }];
}

const WITH_ARTICLE = /^(?:an? |the )/;

/** A fact in words: those of concept-words.csv, else, for an illness, by its name. */
export function sayFact(t: Telling, key: string, value: boolean): Said {
  const c = t.spec.concepts.get(key);
  const own = t.spec.words.get(key)?.[value ? 'says_true' : 'says_false'];
  const facts = [`facts/${key}`];
  if (own)
    return {
      sentence: t.pick(
        key,
        own.split('|').map((s) => s.trim()),
      ),
      facts,
    };
  if (c.kind !== 'condition') throw new Error(`concept-words.csv: ${key} has no sentence for ${value}`);
  const history = WITH_ARTICLE.test(c.name) ? [] : [`{Her} history includes ${c.name}.`];
  const words = value
    ? [`{She} has ${c.name}.`, `{She} has been diagnosed with ${c.name}.`, ...history]
    : [`{She} does not have ${c.name}.`, `{She} has no history of ${c.name}.`];
  return { sentence: t.pick(key, words), facts };
}

/** Everything that is neither an illness nor part of the sentence on pregnancy. */
function circumstances(t: Telling): Said[] {
  return factsOf(t, ['circumstance', 'procedure', 'test', 'allergy', 'setting', 'reproductive'])
    .filter(({ key, value }) => !isToldElsewhere(t, key, value))
    .map(({ key, value }) => leaveToSetting(t, sayFact(t, key, value)));
}

/** Left to the first sentence (a newborn, hospice care, that a woman's partner is not pregnant), or to the one on pregnancy. */
function isToldElsewhere(t: Telling, key: string, value: boolean): boolean {
  const { patient, concepts } = t.spec;
  if (key === 'neonate') return true;
  if (key === 'partner_pregnant' && patient.sex === 'female') return !value;
  if (TOLD_TOGETHER.some((f) => f === key)) return true;
  if (key === 'hospice_care') return t.every((m) => saysHospice(m.patient.setting) === value);
  return !value && patient.facts.pregnant === false && concepts.isA(key, 'pregnant');
}

/** In a clinic the sentence on hospice care only repeats the setting: it stands for the sake of the other member. */
const leaveToSetting = (t: Telling, said: Said): Said => {
  const is = saysHospice(t.spec.patient.setting);
  return said.facts[0] === 'facts/hospice_care' && is !== undefined ? { ...said, facts: [] } : said;
};

/** Who is in a clinic, on a ward or in an emergency department is not in hospice care; at home it must be said. */
const saysHospice = (setting: string | null): boolean | undefined =>
  setting === 'hospice' ? true : setting === null || /home/.test(setting) ? undefined : false;
