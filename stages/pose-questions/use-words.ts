/** How a candidate would be used, in words. */
import type { Use } from '../../schemas/patient.js';
import type { Concepts } from '../lib/rules/concepts.js';
import { capital, type Person } from './people.js';

/** True when more is to be said than that the drug would be started. */
export function statesUse(use: Use): boolean {
  const { phase, ...rest } = use.facets;
  return Object.keys(rest).length > 0 || phase === 'continuing' || use.dose !== null || use.duration !== null;
}

const LINE: Readonly<Record<string, string>> = {
  first: 'as first-line treatment',
  second: 'as second-line treatment',
  later: 'after other agents have failed',
};
const PATTERN: Readonly<Record<string, string>> = {
  chronic: 'every day in the long term',
  scheduled: 'on a regular schedule',
  short_term_scheduled: 'on a fixed schedule for a few days',
  as_needed: 'only now and then as needed',
  short_term: 'as a short course',
  suppressive: 'as long-term suppression',
  acute_treatment: 'for the present acute infection',
};
const PURPOSE: Readonly<Record<string, string>> = {
  primary_prevention: 'for primary prevention of cardiovascular disease',
  secondary_prevention: 'for secondary prevention of cardiovascular disease',
};
const UNIT: Readonly<Record<string, string>> = {
  'mg/d': 'mg a day',
  'ug/d': 'micrograms a day',
  'g/d': 'g a day',
  wk: 'weeks',
  d: 'days',
  mo: 'months',
  a: 'years',
  mg: 'mg',
};

/** One option as it is printed: the drug with its form and route. */
export function optionText(use: Use): string {
  const form =
    use.form === 'extended_release'
      ? 'extended-release '
      : use.form === 'immediate_release'
        ? 'immediate-release '
        : '';
  const route = use.route === null ? '' : `${use.route.replaceAll('_', ' ')} `;
  return `${route}${form}${use.drug}`;
}

/** One sentence on the use of a candidate with the facts that it states; undefined when there is nothing to say. */
export function useSentence(
  use: Use,
  typical_use: string | undefined,
  concepts: Concepts,
  p: Person,
  pick: (list: readonly string[]) => string,
): { sentence: string; facts: string[] } | undefined {
  const at = (facet: string): string => `uses/${use.drug}/${facet}`;
  if (!statesUse(use)) {
    if (!typical_use) return undefined;
    return { sentence: `${capital(optionText(use))} would be for ${typical_use}.`, facts: [] };
  }
  const { facets } = use;
  const parts: string[] = [];
  const facts: string[] = [at('phase')];
  const say = (facet: string, words: string | undefined): void => {
    if (words === undefined) return;
    parts.push(words);
    facts.push(at(facet));
  };
  say('dose', use.dose ? `at ${use.dose.value} ${UNIT[use.dose.unit] ?? use.dose.unit}` : undefined);
  say(
    'line_of_therapy',
    facets.line_of_therapy && (LINE[facets.line_of_therapy] ?? facets.line_of_therapy.replaceAll('_', ' ')),
  );
  say(
    'indication',
    facets.indication &&
      `for ${concepts.has(facets.indication) ? concepts.get(facets.indication).name : facets.indication.replaceAll('_', ' ')}`,
  );
  say('purpose', facets.purpose && (PURPOSE[facets.purpose] ?? facets.purpose.replaceAll('_', ' ')));
  say('pattern', facets.pattern && (PATTERN[facets.pattern] ?? facets.pattern.replaceAll('_', ' ')));
  say('regimen', facets.regimen?.replaceAll('_', ' '));
  say(
    'duration',
    use.duration ? `for ${use.duration.value} ${UNIT[use.duration.unit] ?? use.duration.unit}` : undefined,
  );
  const drug = optionText(use);
  const start =
    facets.phase === 'continuing'
      ? pick([`${p.She} already takes ${drug}`, `${p.She} has been taking ${drug} for some time`])
      : pick([`${capital(drug)} would be started`, `The plan for ${drug} is to start it`]);
  return { sentence: `${[start, ...parts].join(' ')}.`, facts };
}
