/** What plants need to know of the moments of a build: later events, running drugs, drugs that are called for, drugs that are out of place. */
import { readFileSync } from 'node:fs';
import { DuckDbSession, quoteText } from '../../pipelines/engine/adapters/duckdb.js';
import { RECORD_TABLES } from '../../schemas/rxeval-record.js';
import { stateOf } from '../../stages/lib/clinical/state.js';
import { openProofTables } from '../../stages/lib/distractors/setting.js';
import { ordersAround } from '../../stages/lib/grounding/distractor.js';
import type { Prescription } from '../../stages/lib/grounding/formulary.js';
import { isTempting } from '../../stages/lib/grounding/plausible.js';
import { type ProofTables, Prover } from '../../stages/lib/grounding/proofs.js';
import type { Moment } from '../../stages/lib/record/moment.js';
import { readMoments } from '../../stages/lib/record/read.js';
import { cachedTable } from './rxeval-answers.js';
import type { Option, OptionFacts } from './rxeval-plants.js';
import { FROM } from './rxeval-stages.js';
import { temporaryFolder } from './stage.js';

/** Facts of every moment that has a chain. */
export async function optionFacts(buildDir: string): Promise<Map<string, OptionFacts>> {
  const tables = openProofTables((path) => readFileSync(path, 'utf8'), null);
  const session = await DuckDbSession.create({ threads: 1, memoryLimit: '2GB', spillDir: temporaryFolder() });
  try {
    const view = (name: string): Promise<void> =>
      session.run(
        `create view ${name} as select * from read_parquet(${quoteText(cachedTable(buildDir, FROM[name]!, name))})`,
      );
    for (const name of [...Object.keys(RECORD_TABLES), 'chain_drafts']) await view(name);
    const facts = new Map<string, OptionFacts>();
    const where = 'timepoint_id in (select timepoint_id from chain_drafts)';
    for await (const moment of readMoments(session, { where }))
      facts.set(moment.timepoint.timepoint_id, factsOf(moment, tables));
    return facts;
  } finally {
    session.close();
  }
}

function factsOf(moment: Moment, tables: ProofTables): OptionFacts {
  const prover = new Prover(stateOf(moment, tables.clinical), tables);
  const { formulary } = tables;
  const answers = moment.answers;
  const own = new Set([...answers, ...ordersAround(moment)].map((o) => formulary.ingredientOf(o.drug)));
  const others = formulary
    .all()
    .filter((m) => !own.has(m.ingredient))
    .map((m): Prescription => ({ drug: m.drug, dose_text: m.doses[0] ?? null, route: m.route }));
  const called = others.find((p) => prover.indication(p) && prover.contraindications(p).length === 0);
  const around = ordersAround(moment).find((o) => !answers.some((a) => same(tables, a, o)));
  return {
    laterEvent: [...moment.laterEvents].sort()[0] ?? null,
    anyEvent: moment.events.find((e) => e.is_shown)?.event_id ?? null,
    demographic: moment.spans.find((s) => s.kind === 'demographic')?.span_id ?? null,
    correct: option(answers[0]!),
    around: around ? option(around) : null,
    inAnotherForm: (drug, dose) => {
      const rows = formulary.withIngredient(formulary.ingredientOf(drug));
      const forms = rows.flatMap((m) => m.doses.map((d) => ({ drug: m.drug, dose: d, route: m.route })));
      return forms.find((f) => f.dose !== dose) ?? { drug, dose: null, route: null };
    },
    called: called ? option(called) : null,
    unrelated: unrelatedOf(moment, prover, others),
  };
}

const option = ({ drug, dose_text, route }: Prescription): Option => ({ drug, dose: dose_text, route });

const same = ({ formulary }: ProofTables, a: Prescription, b: Prescription): boolean =>
  formulary.ingredientOf(a.drug) === formulary.ingredientOf(b.drug);

function unrelatedOf(
  moment: Moment,
  prover: Prover,
  others: readonly Prescription[],
): OptionFacts['unrelated'] {
  for (const p of others) {
    if (isTempting(p, moment.answers, prover)) continue;
    const proven = prover.prove(p, 'not_indicated');
    if ('proof' in proven) return { ...option(p), cites: proven.proof.cites };
  }
  return null;
}
