/** What differs between two members of a pair, found from their facts, and whether the record says exactly that. */
import type { Change } from '../../../schemas/medpic.js';
import { canonicalJson } from '../../../stages/lib/canonical-json.js';
import type { Item } from '../open.js';

/** Facts that say one thing about pregnancy and change together. */
const PREGNANCY = ['pregnant', 'could_be_pregnant', 'planning_pregnancy', 'breastfeeding', 'in_labour'];

export interface Difference {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Everything that differs, without a look at the record: fields of the patient, single facts and measures, uses. */
export function differences(a: Item, b: Item): Difference[] {
  const out: Difference[] = [];
  const compare = (field: string, from: unknown, to: unknown): void => {
    if (canonicalJson(from ?? null) === canonicalJson(to ?? null)) return;
    out.push({ field, from: from ?? null, to: to ?? null });
  };
  const [p, q] = [a.patient as Record<string, unknown>, b.patient as Record<string, unknown>];
  for (const key of keysOf(p, q)) {
    if (key !== 'facts' && key !== 'measures') compare(`/${key}`, p[key], q[key]);
    else {
      const [x, y] = [p[key] as Record<string, unknown>, q[key] as Record<string, unknown>];
      for (const name of keysOf(x, y))
        if (!isUnsaid(name, x[name], y[name])) compare(`/${key}/${name}`, x[name], y[name]);
    }
  }
  for (const option of a.options) {
    const other = b.options.find((o) => o.letter === option.letter);
    if (option.use !== null) compare(`/uses/${option.use.drug}`, option.use, other?.use);
  }
  return out;
}

/** Only women of child-bearing age are said not to be pregnant or breastfeeding; leaving it out says the same of others. */
const isUnsaid = (fact: string, from: unknown, to: unknown): boolean =>
  PREGNANCY.includes(fact) && from !== true && to !== true;

const keysOf = (a: object, b: object): string[] =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();

/** Null when every difference is recorded and every record is a difference with the members' own values. */
export function compareChanges(recorded: readonly Change[], found: readonly Difference[]): string | null {
  const unsaid = found.find((d) => !recorded.some((c) => covers(c, d)));
  if (unsaid) return `${unsaid.field} differs but is not recorded`;
  const untrue = recorded.find((c) => !found.some((d) => covers(c, d)));
  if (untrue) return `${untrue.field} is recorded but does not differ`;
  for (const c of recorded) {
    const same = found.find((d) => d.field === c.field);
    // Medications are recorded by their names, uses by what a rule can ask of them.
    if (!same || c.field === '/medications' || c.field.startsWith('/uses/')) continue;
    if (canonicalJson([same.from, same.to]) !== canonicalJson([c.from, c.to]))
      return `${c.field} is recorded as ${word(c)}, the members have ${word(same)}`;
  }
  return null;
}

const word = (d: { from?: unknown; to?: unknown }): string =>
  `${JSON.stringify(d.from)} -> ${JSON.stringify(d.to)}`;

/** A record covers its field; `/pregnancy` the facts of pregnancy, a use the illness that the drug is given for. */
function covers(c: Change, d: Difference): boolean {
  if (c.field === d.field) return true;
  if (c.field === '/pregnancy')
    return d.field === '/gestation_weeks' || PREGNANCY.some((f) => d.field === `/facts/${f}`);
  if (!c.field.startsWith('/uses/')) return false;
  const indications = [c.from, c.to].map(
    (u) => (u as { facets?: { indication?: string } } | null)?.facets?.indication,
  );
  return indications.some((i) => i !== undefined && d.field === `/facts/${i}`);
}
