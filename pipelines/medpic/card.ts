/** README.md of a release, written from its manifest alone, so that it cannot describe another release. */
import { MedpicStatistics } from '../../schemas/medpic-statistics.js';
import type { ReleaseManifest } from '../../schemas/release.js';
import { citation } from '../engine/documents/croissant.js';
import { hubConfigs, sizeCategory } from '../engine/documents/front-matter.js';
import { bullets, fieldTable, fileTable, markdownTable, stageTable } from '../engine/documents/markdown.js';
import { toYaml, type Yaml } from '../engine/documents/yaml.js';
import { biases, limitations, SENSITIVITY, signedSentence } from './statements.js';
import { LICENSE, NAME, sourcesOf } from './terms.js';

/** The dataset card with its front matter. */
export function medpicCard(manifest: ReleaseManifest): string {
  const statistics = MedpicStatistics.parse(manifest.statistics);
  return `---\n${toYaml(frontMatter(manifest, statistics))}---\n\n${body(manifest, statistics)}`;
}

function frontMatter(manifest: ReleaseManifest, s: MedpicStatistics): { [key: string]: Yaml } {
  return {
    language: ['en'],
    license: LICENSE.hub,
    pretty_name: `${NAME} ${manifest.version}`,
    size_categories: [sizeCategory(s.items_n)],
    source_datasets: ['original'],
    annotations_creators: [manifest.kind === 'signed' ? 'expert-generated' : 'machine-generated'],
    language_creators: ['machine-generated'],
    task_categories: ['question-answering'],
    task_ids: ['multiple-choice-qa'],
    tags: ['medical', 'medication-safety', 'guidelines', 'counterfactual', 'evaluation', manifest.kind],
    ...hubConfigs(manifest.files, 'gf'),
  };
}

const CONFIG_WORDS: Readonly<Record<string, string>> = {
  gf: 'one patient, one question on what a named source asks for',
  cf: 'pairs: same question and options, one decisive fact changed, another answer',
  irrelevant: 'pairs: a fact changed that no rule asks about, the same answer',
  two_fact: 'series: a rule that needs two facts, with both, and without each',
  sweep: 'series: one number on both sides of a printed threshold',
  switch: 'pairs: one changed fact, one set of drugs becomes another',
};

function body(manifest: ReleaseManifest, s: MedpicStatistics): string {
  return `# ${NAME} ${manifest.version}

${signedSentence(manifest)} **Not for clinical use.**

${s.items_n} multiple-choice questions on medication safety with a written patient each: ${s.gf_n} guideline-following items, ${s.pairs_n} linked
counterfactual pairs, and further configs, from ${s.used_rules_n} rules of ${sourcesOf(manifest).length} sources. Every answer is computed by a rule
engine from structured facts, and every rule points at the printed cell it was read from. The method follows MedRule2Pair
(arXiv 2608.03028); questions, rules and software are our own.

## Configs and splits

${markdownTable(
  ['config', 'split', 'what', 'items', 'pairs or series', 'rules', 'None is right'],
  s.configs.map((c) => [
    c.config,
    c.split,
    CONFIG_WORDS[c.config] ?? '',
    c.items_n,
    c.pairs_n,
    c.rules_n,
    c.none_n,
  ]),
)}

Read a config with two lines:

\`\`\`python
from datasets import load_dataset
items = load_dataset("path/to/this/folder", "cf", split="${s.configs[0]?.split ?? 'test'}")
\`\`\`

Answers are configs of their own (\`answers_gf\`, \`answers_cf\` ...), joined by \`instance_id\`. Files under \`rules/\` and \`provenance/\`
are not configs. Field names of the published MedPIC-Bench are kept where a field is the same.

## Fields

### Questions

${fieldTable(manifest, 'question')}

### Answers

${fieldTable(manifest, 'answer')}

## How an answer is scored

One or more options are right; letters start at A. The set of letters must be the right set. An unreadable or empty answer, or a letter outside
the options, is wrong. "None of the above" is an ordinary option.

- Accuracy of a config: right items over all items; the gap is accuracy of gf minus accuracy of cf.
- Pair accuracy: pairs with all members right over all pairs; items outside pairs never count.
- Activation and deactivation: accuracy over cf items with that reasoning operation.
- Pairs of one rule hang together: intervals by bootstrap over rules.

Show every question alone. Members of a pair must not be shown together.

## How it was made

${stageTable(manifest)}

The same inputs, settings and package versions give the same bytes. An option that is right in an avoidance question has an active restricting
rule of the named source; one that is wrong has every restricting and dose-changing rule of **every** source false, never unknown. Members of a
pair differ in exactly the recorded facts.

## Numbers

${markdownTable(
  ['source', 'rows', 'rules', 'rows held', 'rows without rule', 'items', 'pairs', 'share of pairs'],
  s.sources.map((x) => [
    x.source_id,
    x.rows_n,
    x.rules_n,
    x.held_n,
    x.refused_n,
    x.items_n,
    x.pairs_n,
    percent(x.pair_share),
  ]),
)}

${markdownTable(
  ['patient information that decides', 'items', 'pairs', 'share of pairs'],
  s.dimensions
    .filter((d) => d.dimension === 'taxonomy_patient_info_type')
    .map((d) => [d.category, d.items_n, d.pairs_n, percent(d.pair_share)]),
)}

${markdownTable(['what', 'value'], otherNumbers(manifest, s))}

## Sources

${bullets(sourcesOf(manifest).map((x) => `${x.citation} <${x.url}> (${x.terms}).`))}

The tables hold facts in our own words, no sentence of a source; see LICENSE.

${markdownTable(
  ['file', 'edition', 'records', 'holds', 'sha256'],
  manifest.sources.map((x) => [
    `\`${x.table}\``,
    x.edition ?? '',
    x.records,
    x.coverage ?? '',
    `\`${x.sha256}\``,
  ]),
)}

## Limits

${bullets(limitations(manifest))}

## Biases

${bullets(biases(manifest))}

## Personal and sensitive information

${SENSITIVITY}

## Uses

For measuring language models on applying medication-safety rules to a patient. Not for prescribing or any decision about a person, and not
for training a model that is then scored on it.

## Files

${fileTable(manifest)}

\`sha256sum -c checksums.sha256\` checks every file. \`make verify RELEASE=<this folder>\` recomputes every answer from the structured facts;
\`make trace ID=<instance_id>\` walks an item back to the printed cell; \`make impact REF=<rule or source row>\` lists what rests on one.

## Licence

${LICENSE.name} (<${LICENSE.url}>) for what is ours; see LICENSE for what is not.

## Citation

${citation(manifest, NAME)}
`;
}

const percent = (x: number): string => `${(100 * x).toFixed(1)} %`;

function otherNumbers(manifest: ReleaseManifest, s: MedpicStatistics): [string, string][] {
  const worst = Math.min(1, ...s.positions.map((p) => p.p_value));
  return [
    ['drugs among the options', String(s.drugs_n)],
    ['most pairs of one rule', String(s.pairs_per_rule_max)],
    ['items by number of right options', s.key_sizes.map((k) => `${k.keys_n}: ${k.items_n}`).join(', ')],
    ['smallest p-value of letter positions against uniform', worst.toFixed(3)],
    ['longest option is right / chance', `${percent(s.longest.rate)} / ${percent(s.longest.chance)}`],
    ...s.blind.map((b): [string, string] => [
      `${b.config}: picked right without the vignette / chance / always None`,
      `${percent(b.rate)} / ${percent(b.chance)} / ${percent(b.always_none)}`,
    ]),
    ['rules signed by people', `${s.verified_rules_n} of ${s.rules_n}`],
    ['items validated by people', `${s.validation.validated_n} of ${s.items_n}`],
    ['data hash', `\`${manifest.data_hash}\``],
  ];
}
