/** Every claim against a distractor proved again on the released record, with the tables of the project and the released rules. */
import { join } from 'node:path';
import { stateOf } from '../../../stages/lib/clinical/state.js';
import { openProofTables, readRuleBook } from '../../../stages/lib/distractors/setting.js';
import { Prover } from '../../../stages/lib/grounding/proofs.js';
import { groupBy } from '../../../stages/lib/group-by.js';
import { readMoments } from '../../../stages/lib/record/read.js';
import { PROJECT_ROOT, readFileSync } from '../../engine/adapters/files.js';
import { Check, type CheckResult } from '../../engine/verify-release.js';
import { type OpenRelease, readDistractors } from '../open.js';

/** Proves every claim again; the proof has to name the same rules and rest on the same places. */
export async function checkProofs(r: OpenRelease): Promise<CheckResult[]> {
  const proved = new Check('every claim against a distractor is proved again, by the same rules');
  const wrong = new Check('no distractor has a use that holds for the patient and nothing that forbids it');
  const file = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');
  const tables = openProofTables(file, await readRuleBook({ file, sql: r.session }));
  const distractors = groupBy(await readDistractors(r), (d) => d.timepoint_id);
  for await (const moment of readMoments(r.session)) {
    const prover = new Prover(stateOf(moment, tables.clinical), tables);
    for (const d of distractors.get(moment.timepoint.timepoint_id) ?? []) {
      const prescription = { drug: d.drug, dose_text: d.dose_text, route: d.route };
      const kinds = d.claims.map((c) => c.kind);
      for (const kind of kinds) {
        const again = prover.prove(prescription, kind);
        const released = d.proofs.find((p) => p.claim === kind);
        const is_same = 'proof' in again && JSON.stringify(again.proof) === JSON.stringify(released);
        proved.expect(is_same, () => `${d.distractor_id}: ${kind} is not proved as the release says`);
      }
      wrong.expect(
        prover.indication(prescription) === null ||
          prover.contraindications(prescription).length > 0 ||
          prover.isForbidden(prescription, kinds),
        () => `${d.distractor_id} would be a right answer`,
      );
    }
  }
  return [proved.result(), wrong.result()];
}
