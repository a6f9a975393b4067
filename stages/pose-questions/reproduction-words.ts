/** Pregnancy, and what belongs to it, in one sentence. */
import { hasYears, listed } from './people.js';
import type { Said, Telling, Told } from './telling.js';

/** The facts of the sentence, in the order in which they are told. */
export const TOLD_TOGETHER = [
  'pregnant',
  'in_labour',
  'breastfeeding',
  'could_be_pregnant',
  'planning_pregnancy',
] as const;
type Fact = (typeof TOLD_TOGETHER)[number];

/** The sentence on pregnancy; none for those it is not a question for. */
export function reproduction(t: Telling): Said[] {
  const { facts } = t.spec.patient;
  if (TOLD_TOGETHER.every((f) => facts[f] === undefined)) return [];
  return [facts.pregnant === true ? pregnant(t) : notPregnant(t)];
}

const stated = (t: Telling, without: readonly Fact[] = []): string[] =>
  TOLD_TOGETHER.filter((f) => t.spec.patient.facts[f] !== undefined && !without.includes(f)).map(
    (f) => `facts/${f}`,
  );

function pregnant(t: Telling): Said {
  const { facts: f, gestation_weeks: weeks } = t.spec.patient;
  const start =
    weeks === null
      ? '{She} is pregnant'
      : t.pick('gestation', [`{She} is ${weeks} weeks pregnant`, `{She} is at ${weeks} weeks of gestation`]);
  const parts = [
    t.pick('gestation', [start]),
    ...choose(f.in_labour, 'is in labor', t.pick('labor', ['is not in labor', 'has no signs of labor'])),
    ...choose(f.breastfeeding, 'still breastfeeds an older child', 'is not breastfeeding'),
  ];
  return {
    sentence: `${listed(parts)}.`,
    // A pregnant woman could be pregnant: nobody would write it.
    facts: [
      ...stated(t, ['could_be_pregnant', 'planning_pregnancy']),
      ...(weeks === null ? [] : ['gestation_weeks']),
    ],
  };
}

function notPregnant(t: Telling): Said {
  const { facts: f } = t.spec.patient;
  const facts = stated(t);
  if (facts.length === 4 && t.every(isPostmenopausal))
    return { sentence: `${t.p.She} is postmenopausal.`, facts };
  const isChild = t.spec.profile === 'child';
  const parts = [
    ...(f.pregnant === false && f.breastfeeding === false
      ? [
          t.pick('not pregnant', [
            'is neither pregnant nor breastfeeding',
            'is not pregnant or breastfeeding',
          ]),
        ]
      : [
          ...choose(f.pregnant, '', 'is not pregnant'),
          ...choose(f.breastfeeding, 'is breastfeeding', 'is not breastfeeding'),
        ]),
    ...choose(
      f.could_be_pregnant,
      isChild ? 'is sexually active without contraception' : 'uses no contraception',
      isChild ? 'is not sexually active' : 'uses reliable contraception',
    ),
    ...choose(f.planning_pregnancy, 'is planning a pregnancy', 'is not planning a pregnancy'),
  ];
  return { sentence: `${t.p.She} ${listed(parts)}.`, facts };
}

/** One word says it all of a woman past the menopause; 53 is past it for most (median 51: Gold 2001). */
const isPostmenopausal = ({ patient }: Told): boolean =>
  hasYears(patient, 53) && TOLD_TOGETHER.every((f) => patient.facts[f] !== true);

const choose = (value: boolean | undefined, yes: string, no: string): string[] =>
  value === undefined ? [] : [value ? yes : no];
