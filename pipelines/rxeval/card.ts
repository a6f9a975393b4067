/** README.md of a release, written from its manifest alone, so that it cannot describe another release. */
import type { ReleaseManifest } from '../../schemas/release.js';
import { citation } from '../engine/documents/croissant.js';
import { hubConfigs, sizeCategory } from '../engine/documents/front-matter.js';
import { bullets, fieldTable, fileTable, markdownTable, stageTable } from '../engine/documents/markdown.js';
import { toYaml, type Yaml } from '../engine/documents/yaml.js';
import { termsOf } from '../mimic-terms.js';
import { authorSentence, biases, limitations, ReleaseStatistics, sensitivity } from './statements.js';

/** The dataset card: with YAML front matter for a public hub, with PhysioNet's notices when the release is not open. */
export function rxevalCard(manifest: ReleaseManifest): string {
  const s = ReleaseStatistics.parse(manifest.statistics);
  if (manifest.access !== 'open') return body(manifest, s, CREDENTIALED);
  return `---\n${toYaml(frontMatter(manifest, s))}---\n\n${body(manifest, s, '')}`;
}

const CREDENTIALED = `> **Credentialed data.** This folder falls under the agreement of its source. Do not copy it to a public place, do not send it to
> anybody who has not signed the agreement, and do not send it to a third-party service, programming interfaces included.
> DATA_USE.md is the checklist to go through before it is used or submitted. Anything that could identify a person is to be reported
> to PHI-report@physionet.org.

`;

function frontMatter(manifest: ReleaseManifest, s: ReleaseStatistics): { [key: string]: Yaml } {
  const terms = termsOf(manifest);
  return {
    language: ['en'],
    license: terms.hub_license ?? 'other',
    pretty_name: `${terms.name} ${manifest.version}`,
    size_categories: [sizeCategory(s.questions_n)],
    source_datasets: [manifest.kind === 'synthetic' ? 'original' : 'extended'],
    annotations_creators: ['machine-generated'],
    language_creators: ['machine-generated'],
    task_categories: ['question-answering'],
    task_ids: ['multiple-choice-qa'],
    tags: ['medical', 'prescribing', 'medication', 'evaluation', manifest.kind],
    ...hubConfigs(manifest.files, 'mcq'),
  };
}

const CONFIG_WORDS: Readonly<Record<string, string>> = {
  mcq: 'choose the drugs that are ordered now from a lettered list',
  open: 'the same moment without options: write the drugs, doses and routes',
  mcq_allergy_repeated:
    'mcq with the allergy list repeated just before the answer; patients with allergies on record',
  mcq_no_profile: 'mcq without the patient before admission',
  mcq_no_trajectory: 'mcq without the events of the admission',
};

function body(manifest: ReleaseManifest, s: ReleaseStatistics, notice: string): string {
  const terms = termsOf(manifest);
  return `# ${terms.name} ${manifest.version}

${notice}${s.questions_n} moments of prescribing in ${s.admissions_n} admissions of ${s.patients_n} patients. A question shows the patient before admission, the events up to
the moment, and a list of drugs: the ones that were ordered, and drugs that are wrong for this patient then. Behind every right drug
stands a chain of reasoning from cited facts, behind every wrong one a proof. The method follows RxEval (arXiv 2605.14543); prompts,
tables and software are our own. **Not for clinical use.**

${authorSentence(s)}

## Configs and splits

${markdownTable(
  ['config', 'split', 'what', 'questions'],
  s.configs.map((c) => [c.config, c.split, CONFIG_WORDS[c.config] ?? '', c.questions_n]),
)}

Read a config with two lines:

\`\`\`python
from datasets import load_dataset
items = load_dataset("path/to/this/folder", "mcq", split="${s.configs[0]?.split ?? 'test'}")
\`\`\`

Answers are configs of their own (\`answers_mcq\` ...), joined by \`question_id\`. \`events/\` (the record), \`chains/\` (chains, distractors, verdicts, proofs),
\`rules/\` and \`provenance/\` are not configs.

## Fields

### Questions

${fieldTable(manifest, 'question')}

### Answers

${fieldTable(manifest, 'answer')}

## How an answer is scored

The reply is the letters of all drugs that are ordered, separated by commas. With Y the right letters and P the given ones, per question and then
averaged over all questions: exact match (P = Y), Jaccard |P∩Y|/|P∪Y|, precision |P∩Y|/|P|, recall |P∩Y|/|Y|, F1 = 2PR/(P+R). An empty or
unreadable reply scores 0 in all of them, and the share of such replies is shown beside every number; letters that are not offered are left
out and counted. Guessing each option by a coin gives an exact match of the mean of 2 to the power of minus the number of options and a recall of
one half. Questions of one patient hang together: intervals by bootstrap over patients.

\`open\`: \`correct\` lists the drugs; names vary and other drugs may be acceptable, so automatic scores of this form are rough.

## How it was made

${stageTable(manifest)}

The same inputs, settings, recorded answers of models and package versions give the same bytes. Nothing that was available at or after the
evidence cut (the earlier of the orders' start and entry) is shown or cited. A model's verdict never overrides a failed check.

## Numbers

${markdownTable(['what', 'value'], numbers(manifest, s))}

${markdownTable(
  ['stage', 'step', 'of', 'left'],
  s.funnel.map((f) => [f.stage, f.step, f.unit, f.n]),
)}

## Sources

${sources(manifest)}

## Limits

${bullets(limitations(manifest))}

## Biases

${bullets(biases(manifest))}

## Personal and sensitive information

${sensitivity(manifest)}

## Uses

For measuring language models on prescribing from a record. Not for prescribing or any decision about a person, and not for training a
model that is then scored on it.

## Files

${fileTable(manifest)}

\`sha256sum -c checksums.sha256\` checks every file. \`make verify RELEASE=<this folder>\` finds every cited fact in the record again and proves every
distractor again; \`make trace ID=<question_id>\` walks from an option to its chain, its facts and the rows of MIMIC-IV.

## Licence

${terms.license_name} (<${terms.license_url}>); see LICENSE.

## Citation

${citation(manifest, terms.name)}
`;
}

const percent = (x: number): string => `${(100 * x).toFixed(1)} %`;

function numbers(manifest: ReleaseManifest, s: ReleaseStatistics): [string, string][] {
  const range = (x: { mean: number; median: number; min: number; max: number }): string =>
    `mean ${x.mean.toFixed(2)}, median ${x.median}, ${x.min} to ${x.max}`;
  return [
    ...s.phases.map((p): [string, string] => [
      `phase ${p.phase}`,
      `${p.questions_n} questions (${percent(p.share)}), events shown: ${range(p.events)}`,
    ]),
    ['options', range(s.options)],
    ['right options', range(s.correct)],
    ['questions with more than one right option', percent(s.multi_share)],
    [
      `tokens of a prompt (${s.tokenizer})`,
      `${range(s.prompt_tokens)}, 95th percentile ${s.prompt_tokens.p95}`,
    ],
    ['questions with events left out for length', String(s.dropped_events_questions_n)],
    ['different right drugs, as recorded', String(s.correct_drugs_n)],
    ['right drugs in fewer than five questions', String(s.rare_drugs_n)],
    ['age in years; female', `${range(s.age)}; ${percent(s.female_share)}`],
    [
      'Jaccard index of the drugs of two moments of an admission (mean over admissions of the mean over pairs)',
      s.jaccard_mean === null ? 'none' : s.jaccard_mean.toFixed(3),
    ],
    ['proofs by guideline rules that nobody has signed', String(s.unsigned_proofs_n)],
    ['data hash', `\`${manifest.data_hash}\``],
  ];
}

function sources(manifest: ReleaseManifest): string {
  const { source } = termsOf(manifest);
  const words = source
    ? `${source.title}, version ${source.version} (<${source.url}>, DOI [${source.doi}](https://doi.org/${source.doi})).`
    : `Made by the stage \`synth-mimic\` with seed ${manifest.seed}; no patient stands behind a row.`;
  return `${words}

${markdownTable(
  ['table', 'records', 'bytes', 'sha256'],
  manifest.sources.map((x) => [x.table, x.records, x.bytes, `\`${x.sha256}\``]),
)}`;
}
