/** What a candidate would be used for and how. */
import { type Found, plain, type ReadKnowledge, type SentenceReader } from './sentences.js';

const quoted = (s: string): string => s.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const ROUTES = [
  'epidural',
  'inhaled',
  'intramuscular',
  'intranasal',
  'intravaginal',
  'intravenous',
  'ophthalmic',
  'oral',
  'oromucosal',
  'rectal',
  'subcutaneous',
  'sublingual',
  'topical',
  'transdermal',
];

const UNITS: Readonly<Record<string, string>> = {
  'mg a day': 'mg/d',
  'micrograms a day': 'ug/d',
  'g a day': 'g/d',
  mg: 'mg',
};
const TIMES: Readonly<Record<string, string>> = { hour: 'h', day: 'd', week: 'wk', month: 'mo', year: 'a' };

/** Fixed words for values of facets, as they may stand after the drug. */
const PHRASES: readonly (readonly [string, string, string])[] = [
  ['as first-line treatment', 'line_of_therapy', 'first'],
  ['as second-line treatment', 'line_of_therapy', 'second'],
  ['after two or more other treatments', 'line_of_therapy', 'later'],
  ['as a long-term daily medicine', 'pattern', 'chronic'],
  ['on a regular schedule for a few days', 'pattern', 'short_term_scheduled'],
  ['on a regular schedule', 'pattern', 'scheduled'],
  ['to be taken now and then as needed', 'pattern', 'as_needed'],
  ['to be taken as needed, again and again over a long time', 'pattern', 'persistent_as_needed'],
  ['as a short course', 'pattern', 'short_term'],
  ['as long-term suppressive treatment', 'pattern', 'suppressive'],
  ['at 750 mg daily', 'regimen', '750_mg_daily'],
  ['as an addition to another drug for the same illness', 'regimen', 'adjunct'],
  ['as correction doses on top of basal insulin', 'regimen', 'basal_and_correction'],
  ['at a high dose', 'regimen', 'high_dose'],
  ['at a low dose', 'regimen', 'low_dose'],
  ['on a sliding scale without basal insulin', 'regimen', 'sliding_scale_alone'],
  ['for primary prevention', 'purpose', 'primary_prevention'],
  ['for secondary prevention', 'purpose', 'secondary_prevention'],
  ['to lower blood glucose', 'purpose', 'glucose_lowering'],
  ['as treatment rather than prophylaxis', 'purpose', 'treatment'],
  ['as prophylaxis rather than treatment', 'purpose', 'prophylaxis'],
];

/** A reader of plans for the given candidates. */
export function planReader(drugs: readonly string[], readRest: RestReader): SentenceReader {
  if (drugs.length === 0) return () => null;
  const names = [...drugs].sort((a, b) => b.length - a.length).map((d) => quoted(d.toLowerCase()));
  const drug = `(?:(${ROUTES.join('|')}) )?(?:(immediate|extended)-release )?(${names.join('|')})`;
  const ordinary = [
    new RegExp(`^${drug} would be used only (.+), should the need arise$`),
    new RegExp(`^should the need arise, ${drug} would be used (.+)$`),
    new RegExp(`^if it were needed, ${drug} would be given (.+)$`),
  ];
  const plans: [RegExp, string][] = [
    [new RegExp(`^${drug} would be started(.*)$`), 'starting'],
    [new RegExp(`^@ would start ${drug}(.*)$`), 'starting'],
    [new RegExp(`^@ (?:already takes|has been taking) ${drug}(.*)$`), 'continuing'],
    [new RegExp(`^@ is about to stop ${drug}(.*)$`), 'stopping'],
  ];
  return (s) => {
    for (const pattern of ordinary) {
      const m = pattern.exec(s);
      const use = m && typicalUse(m[4]!);
      if (m && use) return [...drugFacts(m), [`uses/${m[3]}/typical_use`, use]];
    }
    for (const [pattern, phase] of plans) {
      const m = pattern.exec(s);
      const parts = m && readRest(m[4]!);
      if (m && parts) {
        const found = [['phase', phase] as const, ...parts];
        return [...drugFacts(m), ...found.map(([f, v]): Found => [`uses/${m[3]}/${f}`, v])];
      }
    }
    return null;
  };
}

const drugFacts = (m: RegExpExecArray): Found[] => [
  ...(m[1] === undefined ? [] : [[`uses/${m[3]}/route`, m[1]] as const]),
  ...(m[2] === undefined ? [] : [[`uses/${m[3]}/form`, `${m[2]}_release`] as const]),
];

/** `for hay fever (nasal)` is the use `hay fever, nasal`. */
function typicalUse(words: string): string | null {
  const m = /^(?:for|as an?) (.+?)(?: \((.+)\))?$/.exec(words);
  return m ? [m[1], ...(m[2] === undefined ? [] : [m[2]])].join(', ') : null;
}

type Part = readonly [facet: string, value: unknown];
/** Facets of the words after the drug; null when some are not known. */
export type RestReader = (rest: string) => Part[] | null;

/** Takes the words after the drug one phrase at a time; words that are no known phrase make it null. */
export function restReader(k: ReadKnowledge): RestReader {
  const fixed = PHRASES.map(([words, facet, value]) => ({ words, parts: [[facet, value] as const] }));
  const goals = [...k.concepts.all()].flatMap(({ concept, name }) => {
    const what = plain(k.words.get(concept)?.indication || name);
    const is: Part = ['indication', concept];
    return [
      { words: what.startsWith('to ') ? what : `for ${what}`, parts: [is] },
      { words: `for treatment of ${what}`, parts: [['purpose', 'treatment'] as const, is] },
      { words: `for prophylaxis of ${what}`, parts: [['purpose', 'prophylaxis'] as const, is] },
    ];
  });
  const phrases = [...fixed, ...goals].sort((a, b) => b.words.length - a.words.length);
  return (rest) => {
    const out: Part[] = [];
    let left = rest.trim();
    while (left !== '') {
      const known = quantityOf(left) ?? phraseOf(left, phrases);
      if (!known) return null;
      out.push(...known.parts);
      left = left.slice(known.words.length).trim();
    }
    return out;
  };
}

interface Phrase {
  readonly words: string;
  readonly parts: readonly Part[];
}

const phraseOf = (left: string, phrases: readonly Phrase[]): Phrase | undefined =>
  phrases.find((p) => left === p.words || left.startsWith(`${p.words} `));

function quantityOf(left: string): Phrase | undefined {
  const dose = /^at (\d+(?:\.\d+)?) (mg a day|micrograms a day|g a day|mg)(?= |$)(?! daily)/.exec(left);
  if (dose) return { words: dose[0], parts: [['dose', { value: Number(dose[1]), unit: UNITS[dose[2]!] }]] };
  const time = /^for a total of (\d+(?:\.\d+)?) (hour|day|week|month|year)s?(?= |$)/.exec(left);
  if (!time) return undefined;
  return { words: time[0], parts: [['duration', { value: Number(time[1]), unit: TIMES[time[2]!] }]] };
}
