/** The first sentence: age, sex, postmenstrual age, setting. */
import type { SETTINGS } from '../../../schemas/patient.js';
import type { Found } from './sentences.js';

const UNITS = { year: 'a', month: 'mo', week: 'wk', day: 'd' } as const;
const NOUNS: Readonly<Record<string, 'female' | 'male'>> = {
  woman: 'female',
  girl: 'female',
  man: 'male',
  boy: 'male',
};

const WHO =
  /^an? (\d+)-(year|month|week|day)-old (woman|man|girl|boy)(?:, now at a postmenstrual age of (\d+) weeks,)? (.+)$/;

const PEOPLE = '(?:@r )?(?:mother|father|parents|family)';
const KIND =
  '(?:general medical|general practice|primary care|outpatient|general|medical|geriatric|obstetric|antenatal|pediatric|adolescent)';
const KINDS = `(?:${KIND} )*`;

/** Where somebody is, in the words that a place may have. */
const PLACES: readonly (readonly [(typeof SETTINGS)[number], string])[] = [
  ['hospice', '(?:is in|receives) hospice care'],
  [
    'nursing_home',
    '(?:lives in|is a (?:long-stay )?resident of) a (?:nursing home|care home|long-term care facility)',
  ],
  ['home', `lives (?:independently )?at home(?: with ${PEOPLE})?`],
  [
    'ward',
    `(?:has been admitted to|is in hospital on|is an inpatient on|is seen on|is reviewed on|is cared for on) (?:a|the) ${KINDS}ward`,
  ],
  [
    'emergency',
    `(?:is seen in|comes to|is brought to|is taken to) the ${KINDS}emergency department(?: (?:by|with) ${PEOPLE})?`,
  ],
  [
    'clinic',
    `(?:is seen in|comes to|attends|is brought to) (?:a|the) ${KINDS}clinic(?: (?:by|with) ${PEOPLE})?`,
  ],
];

/** Why somebody is seen; it states no fact. */
const REASON = [
  'before (?:a new medicine|another medicine|a medicine|treatment|a dose) is (?:prescribed|added|chosen|changed|set)',
  'to (?:discuss treatment|have a (?:prescription|dose) checked)',
  'for (?:a medication review|a review of current treatment|advice on treatment)',
  'and (?:a prescription is considered|treatment options are weighed)',
].join('|');

const SEEN = '(?:(?: and)? is (?:seen|visited|reviewed))?';

/** Reads who the patient is; null when the sentence is none of a patient, or holds more than it should. */
export function readPerson(plain: string): Found[] | null {
  const m = WHO.exec(plain);
  if (!m) return null;
  const setting = settingOf(m[5]!);
  if (setting === null) return null;
  return [
    ['age', { value: Number(m[1]), unit: UNITS[m[2] as keyof typeof UNITS] }],
    ['sex', NOUNS[m[3]!]],
    ...(m[4] === undefined ? [] : [['postmenstrual_weeks', Number(m[4])] as const]),
    ...(setting === 'none' ? [] : [['setting', setting] as const]),
  ];
}

function settingOf(tail: string): string | null {
  for (const [setting, place] of PLACES) {
    if (new RegExp(`^(?:who )?${place}${SEEN}(?: (?:${REASON}))?$`).test(tail)) return setting;
  }
  return new RegExp(`^is seen(?: (?:${REASON}))?$`).test(tail) ? 'none' : null;
}
