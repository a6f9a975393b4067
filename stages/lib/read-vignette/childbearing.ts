/** The sentence on pregnancy and what belongs to it, clause by clause. */
import type { Found } from './sentences.js';

type Clause = readonly [RegExp, (m: RegExpExecArray) => Found[]];
const says = (facts: Readonly<Record<string, boolean>>): (() => Found[]) => {
  const found = Object.entries(facts).map(([k, v]): Found => [`facts/${k}`, v]);
  return () => found;
};
const weeks = (m: RegExpExecArray): Found[] => [
  ['facts/pregnant', true],
  ['gestation_weeks', Number(m[1])],
];

const CLAUSES: readonly Clause[] = [
  [/^is (\d+) weeks pregnant$/, weeks],
  [/^is at (\d+) weeks of gestation$/, weeks],
  [/^is pregnant$/, says({ pregnant: true })],
  [/^is not pregnant$/, says({ pregnant: false })],
  [
    /^is (?:neither pregnant nor|not pregnant or) breastfeeding$/,
    says({ pregnant: false, breastfeeding: false }),
  ],
  [/^is in labor$/, says({ in_labour: true })],
  [/^(?:is not in labor|has no signs of labor)$/, says({ in_labour: false })],
  [/^(?:is breastfeeding|still breastfeeds an older child)$/, says({ breastfeeding: true })],
  [/^is not breastfeeding$/, says({ breastfeeding: false })],
  [/^(?:uses no contraception|is sexually active without contraception)$/, says({ could_be_pregnant: true })],
  [/^(?:uses reliable contraception|is not sexually active)$/, says({ could_be_pregnant: false })],
  [/^is planning a pregnancy$/, says({ planning_pregnancy: true })],
  [/^is not planning a pregnancy$/, says({ planning_pregnancy: false })],
  [
    /^is postmenopausal$/,
    says({ pregnant: false, breastfeeding: false, could_be_pregnant: false, planning_pregnancy: false }),
  ],
];

/** Reads `@ is 12 weeks pregnant, is not in labor and is not breastfeeding`; every clause must be known. */
export function readChildbearing(plain: string): Found[] | null {
  if (!plain.startsWith('@ ')) return null;
  const out: Found[] = [];
  for (const clause of plain.slice(2).split(/, | and /)) {
    const known = CLAUSES.flatMap(([pattern, found]) => {
      const m = pattern.exec(clause);
      return m ? [found(m)] : [];
    });
    if (known.length === 0) return null;
    out.push(...known[0]!);
  }
  return out;
}
