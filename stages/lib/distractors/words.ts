/** Sentences of the rules author. Every number in them comes from a cited fact. */
import type { ChainStep, Cite } from '../../../schemas/rxeval.js';
import type { Formulary, Medicine } from '../grounding/formulary.js';
import type { Link } from '../grounding/plausible.js';
import { textOf } from '../record/cites.js';
import type { Moment } from '../record/moment.js';

/** Longest quotation of a text. */
const QUOTE_LENGTH = 110;

/** A cited fact as a sentence shows it: `Potassium 5.6 mEq/L`, or words of the record in quotation marks. */
export function factWords(moment: Moment, cite: Cite): string {
  if (cite.item !== null)
    return [cite.item, cite.value, cite.unit].filter((w) => w !== null && w !== '').join(' ');
  const found = moment.find(cite.ref);
  const text = (cite.quote ?? (found ? textOf(found) : '')).trim().replace(/\s+/g, ' ');
  return `"${shortened(text)
    .replaceAll('"', "'")
    .replace(/[.;,]+$/, '')}"`;
}

/** Cut between words. */
function shortened(text: string): string {
  if (text.length <= QUOTE_LENGTH) return text;
  const cut = text.slice(0, QUOTE_LENGTH);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), 1))} ...`;
}

/** `a, b and c`. */
export function listWords(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

export const factsWords = (moment: Moment, cites: readonly Cite[]): string =>
  listWords([...new Set(cites.map((c) => factWords(moment, c)))]);

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** What ties the drug to the correct one. */
export function linkWords(own: Medicine, target: string, link: Link, formulary: Formulary): string {
  if (link.by === 'class') return `${own.drug} is ${formulary.classWords(link.drug_class)} as ${target} is`;
  if (link.by === 'goal') return `${own.drug} also serves ${formulary.goalWords(link.goal)}`;
  return `${own.drug} and ${target} answer the same situation, and which of them comes first is easily mistaken`;
}

/** Why somebody would choose it: the tie, and the step at which the thought goes wrong. */
export function plausibleWords(
  tie: string,
  target: string,
  step: ChainStep | null,
  isIgnored: boolean,
): string {
  if (step === null)
    return `${capital(tie)}, so it may be chosen when the reasoning for ${target} is cut short.`;
  const how = isIgnored ? 'is passed over' : 'is taken to say more than it does';
  return `${capital(tie)}, so it may be chosen when step ${step.number} of the reasoning for ${target} ${how}.`;
}

export const wrongByReason = (drug: string, reason: string, facts: string): string =>
  `${capital(reason)}: the record has ${facts}, which rules out ${drug}.`;

/** A history that is only silent is quoted for what it does say. */
export const wrongByNeed = (drug: string, facts: string, isSilent: boolean): string =>
  isSilent
    ? `Nothing that ${drug} is given for is present now: the history names none of it (it has ${facts}).`
    : `Nothing that ${drug} is given for is present now: the record has ${facts}.`;

export const wrongByPhase = (drug: string, before: string, now: string): string =>
  `${drug} had its time when the record had ${before}; now the record has ${now}, and nothing else calls for it.`;

export const wrongByTwin = (drug: string, facts: string): string =>
  `A drug of the same group runs already (${facts}), and ${drug} on top of it doubles the effect.`;
