/** A reply of the model becomes statements, as far as the allowed text bears it out. */
import { type ProfileSection, UNKNOWN } from '../../schemas/rxeval-record.js';
import { type AllowedText, type Found, standsIn } from './allowed-text.js';
import type { Statement } from './pieces.js';
import type { Reply } from './reply.js';

/** Something of a reply that was dropped. */
export interface Finding {
  readonly section: ProfileSection;
  /** From 1, in the order of the reply. */
  readonly item_n: number;
  readonly reason: string;
}

export interface Taken {
  readonly statements: Statement[];
  readonly findings: Finding[];
}

/** Sections that are lists of stretches, in the order of a profile. */
const TEXTS = [
  'chief_complaint',
  'history_of_present_illness',
  'review_of_systems',
  'past_medical_history',
  'social_history',
  'family_history',
  'physical_exam',
] as const;

interface Item {
  readonly section: ProfileSection;
  readonly kind: Statement['kind'];
  readonly stretch: string;
  readonly name: string | null;
  readonly dose_text: string | null;
  readonly route: string | null;
  /** Reason when the stretch stands nowhere in the allowed text. */
  readonly missing: string;
}

const plain = { name: null, dose_text: null, route: null, missing: 'quote_not_found' };

function itemsOf(reply: Reply): Item[] {
  const none = reply.allergy_statement === null ? [] : [reply.allergy_statement];
  return [
    ...none.map((stretch) => ({
      ...plain,
      section: 'allergies' as const,
      kind: 'statement' as const,
      stretch,
    })),
    ...reply.allergies.map((stretch) => ({
      ...plain,
      section: 'allergies' as const,
      kind: 'allergy' as const,
      stretch,
      name: stretch,
      missing: 'allergy_not_found',
    })),
    ...TEXTS.flatMap((section) =>
      reply[section].map((stretch) => ({ ...plain, section, kind: 'statement' as const, stretch })),
    ),
    ...reply.home_medications.map(({ quote, drug, dose, route }) => ({
      ...plain,
      section: 'medications_on_admission' as const,
      kind: 'home_medication' as const,
      stretch: quote,
      name: drug,
      dose_text: dose,
      route,
    })),
  ];
}

/** Checks every item of a reply; `source_key` is that of the note. */
export function takeReply(reply: Reply, allowed: AllowedText, source_key: string): Taken {
  const taken: Taken = { statements: [], findings: [] };
  const seen = new Set<string>();
  const counts = new Map<ProfileSection, number>();
  for (const item of itemsOf(reply)) {
    const item_n = (counts.get(item.section) ?? 0) + 1;
    counts.set(item.section, item_n);
    const found = foundOf(item, allowed);
    const key =
      typeof found === 'string'
        ? ''
        : `${item.section} ${item.kind} ${found.text.toLowerCase()} ${item.name}`;
    const reason = typeof found === 'string' ? found : seen.has(key) ? 'repeated' : undefined;
    if (reason !== undefined) taken.findings.push({ section: item.section, item_n, reason });
    else taken.statements.push(statementOf(item, found as Found, source_key));
    seen.add(key);
  }
  return taken;
}

/** Where an item stands, or why it is dropped. */
function foundOf(item: Item, allowed: AllowedText): Found | string {
  if (!/[\p{L}\p{N}]/u.test(item.stretch.replaceAll(UNKNOWN, ''))) return 'masked';
  const found = allowed.find(item.stretch, item.section);
  if (found === 'turned') return 'meaning_turned';
  if (!found) return hasLooseNumber(item.stretch, allowed) ? 'number_not_found' : item.missing;
  if (item.kind !== 'home_medication') return found;
  if (!standsIn(item.name!, found.text)) return 'drug_not_found';
  if (item.dose_text !== null && !standsIn(item.dose_text, found.text)) return 'number_not_found';
  if (item.route !== null && !standsIn(item.route, found.text)) return 'route_not_found';
  return found;
}

/** True where a number of the stretch stands nowhere in the allowed text. */
function hasLooseNumber(stretch: string, allowed: AllowedText): boolean {
  return (stretch.match(/\d+(?:[.,]\d+)*/g) ?? []).some((n) => !allowed.holds(n));
}

function statementOf(item: Item, found: Found, source_key: string): Statement {
  const { section, kind, name, dose_text, route } = item;
  const isMasked = dose_text?.includes(UNKNOWN) ?? false;
  return {
    section,
    kind,
    opens: true,
    text: found.text,
    name: kind === 'allergy' ? found.text : name,
    dose_text: isMasked ? null : dose_text,
    route,
    source_table: 'discharge',
    source_key,
    note_start_n: found.note_start_n,
    note_end_n: found.note_end_n,
  };
}
