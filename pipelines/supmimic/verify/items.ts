/** Items against cohort and pairs: answers, ids, prompts, gold in question rows, provenance edges. */
import { join } from 'node:path';
import { FEATURE_IDS, TASKS, type Task } from '../../../schemas/supmimic.js';
import { FEATURE_NAMES_FILE, parseFeatureNames } from '../../../stages/lib/feature-names.js';
import { itemIds } from '../../../stages/lib/item-ids.js';
import { findLeaks, orderBias } from '../../../stages/lib/leaks.js';
import { promptFile } from '../../../stages/stamp-release/config.js';
import { createRenderer } from '../../../stages/stamp-release/render.js';
import { PROJECT_ROOT, readFileSync } from '../../engine/adapters/files.js';
import { Check, type CheckResult } from '../../engine/verify-release.js';
import type { OpenRelease } from './open.js';

interface Answer {
  readonly item_id: string;
  readonly label: number;
  readonly role: string;
  readonly dx_code: string;
  readonly stay_id: number;
  readonly pair_id: string | null;
  readonly pair_rank: number | null;
  readonly distance: number | null;
  readonly theta: number | null;
  readonly phi: number | null;
  readonly f_k: string;
  readonly split: string;
}

interface Question {
  readonly item_id: string;
  readonly patient_id: string;
  readonly dx_code: string;
  readonly diagnosis: string;
  readonly pair_id: string | null;
  readonly split: string;
  readonly prompt: string;
}

/** Every answer is the label of its stay, and every mined pair and drawn stay has its items. */
export async function checkAnswers(r: OpenRelease): Promise<CheckResult> {
  const check = new Check('answers are the labels of their stays, and every mined pair has its items');
  for (const task of TASKS) {
    const source =
      task === 'ba'
        ? 'select dx_code, split, stay_id, label, null::INTEGER as pair_rank, null::DOUBLE as distance from baseline'
        : `select dx_code, split, stay_i as stay_id, 1 as label, pair_rank, distance from pairs where task = '${task}'
           union all select dx_code, split, stay_j, ${task === 'dct' ? 1 : 0}, pair_rank, distance from pairs where task = '${task}'`;
    const columns = 'dx_code, split, stay_id, label, pair_rank, distance';
    const [row] = await r.session.rows<Record<string, number>>(`
      with mined as (${source}), given as (select ${columns} from answers_${task})
      select (select count(*) from (select ${columns} from mined except all select ${columns} from given)) as missing,
        (select count(*) from (select ${columns} from given except all select ${columns} from mined)) as extra,
        (select count(*) from answers_${task} a left join labels l using (dx_code, stay_id) where (l.stay_id is not null) <> (a.label = 1)) as wrong,
        (select count(*) from answers_${task} a left join thresholds t using (dx_code) where a.theta is distinct from t.theta or a.phi is distinct from t.phi) as thresholds,
        (select count(*) from answers_${task} a full join ${task} q using (item_id) where a.item_id is null or q.item_id is null
          or a.dx_code <> q.dx_code or a.split <> q.split or a.pair_id is distinct from q.pair_id) as unlike`);
    const words: Record<string, string> = {
      missing: 'mined stays without an item',
      extra: 'items that were not mined',
      wrong: 'labels that differ from cohort/labels',
      thresholds: 'items with another theta or phi than cohort/thresholds',
      unlike: 'questions and answers that do not match',
    };
    for (const [name, n] of Object.entries(row!)) check.expect(n === 0, () => `${task}: ${n} ${words[name]}`);
  }
  return check.result();
}

/** Ids, prompts and leaks, item by item. */
export async function checkQuestions(r: OpenRelease): Promise<CheckResult[]> {
  const rendered = new Check('prompts show exactly the features of their stay');
  const ids = new Check('ids and pseudonyms follow from the stay and say nothing of the label');
  const leaks = new Check('no gold in a question row');
  const { prompt, pseudonym_label } = r.config<{ prompt: 'diagnose.v1'; pseudonym_label: string }>(
    'stamp-release',
  );
  const text = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');
  const renderer = createRenderer(
    text(promptFile(prompt)),
    parseFeatureNames(text(FEATURE_NAMES_FILE)),
    r.registry,
  );
  const expected = itemIds(r.manifest.seed, pseudonym_label);
  const codes = await codesByStay(r);
  for (const task of TASKS) {
    const answers = new Map(
      (await r.session.rows<Answer>(`select * from answers_${task}`)).map((a) => [a.item_id, a]),
    );
    for await (const questions of r.session.stream<Question>(`select * from ${task}`)) {
      for (const q of questions) {
        const a = answers.get(q.item_id);
        const stay = a && r.stays[r.rowOf.get(a.stay_id) ?? -1];
        if (!a || !stay) {
          ids.expect(false, () => `${q.item_id} has no answer with a stay of the cohort`);
          continue;
        }
        const row = r.rowOf.get(a.stay_id)!;
        const record = renderer.record(FEATURE_IDS.map((id) => r.raw.get(id)![row]!)).text;
        const shown = renderer.prompt({ dx_code: q.dx_code, title: q.diagnosis }, record);
        rendered.expect(
          q.prompt === shown,
          () => `${q.item_id} shows other values than stay ${a.stay_id} has`,
        );
        ids.expect(
          q.patient_id === expected.patient(stay.subject_id),
          () => `${q.item_id}: patient_id is not the pseudonym`,
        );
        ids.expect(
          q.item_id === expected.item(task, q.dx_code, a.stay_id, q.pair_id),
          () => `${q.item_id} is not the id of its content`,
        );
        const gold = {
          ids: [stay.stay_id, stay.subject_id, stay.hadm_id],
          icd_codes: codes.get(a.stay_id) ?? [],
          numbers: [a.distance, a.theta, a.phi],
        };
        const found = findLeaks({ ...q }, gold);
        leaks.expect(found.length === 0, () => `${q.item_id}: ${found[0]}`);
      }
    }
    checkOrder(leaks, task, [...answers.values()]);
  }
  return [rendered.result(), ids.result(), leaks.result()];
}

/** In DDT the positive must not stand first more often than chance allows (4 standard errors). */
function checkOrder(check: Check, task: Task, answers: readonly Answer[]): void {
  if (task !== 'ddt') return;
  const pairs = new Map<string, Answer[]>();
  for (const a of answers) pairs.set(a.pair_id!, [...(pairs.get(a.pair_id!) ?? []), a]);
  const order = [...pairs.values()].map((two) => {
    const [first] = [...two].sort((x, y) => (x.item_id < y.item_id ? -1 : 1));
    return { yes_first: first!.label === 1 };
  });
  const { share, z } = orderBias(order);
  check.expect(
    Math.abs(z) < 4,
    () => `the order of the ids tells the label: yes stands first in ${(100 * share).toFixed(1)} %`,
  );
}

async function codesByStay(r: OpenRelease): Promise<Map<number, string[]>> {
  const rows = await r.session.rows<{ stay_id: number; codes: string }>(
    `select stay_id, string_agg(icd_code, ' ' order by seq_num) as codes from label_rows group by stay_id`,
  );
  return new Map(rows.map((x) => [x.stay_id, x.codes.split(' ')]));
}

/** Every item has edges to its stay and to the features that decided it, and edges lead to things that exist. */
export async function checkEdges(r: OpenRelease): Promise<CheckResult> {
  const check = new Check('every item has its provenance edges');
  const items = TASKS.map((t) => `select item_id, stay_id, label, dx_code, f_k from answers_${t}`).join(
    ' union all ',
  );
  const [row] = await r.session.rows<Record<string, number>>(`
    with items as (${items})
    select (select count(*) from items i left join edges e on e.child = 'item:' || i.item_id and e.relation = 'describes'
        where e.parent is distinct from 'stay:' || i.stay_id) as stays,
      (select count(*) from items i where len(string_split(i.f_k, ' ')) <>
        (select count(*) from edges e where e.child = 'item:' || i.item_id and e.relation = 'decided_by')) as features,
      (select count(*) from items i where i.label = 1 and not exists (select 1 from edges e join label_rows l
        on e.parent = 'diagnoses_icd:' || l.hadm_id || '-' || l.seq_num
        where e.child = 'item:' || i.item_id and e.relation = 'labelled_by' and l.dx_code = i.dx_code and l.stay_id = i.stay_id)) as diagnoses,
      (select count(*) from edges where child like 'item:%' and substr(child, 6) not in (select item_id from items)) as strangers`);
  const words: Record<string, string> = {
    stays: 'items without an edge to their stay',
    features: 'items whose edges to features differ from f_k',
    diagnoses: 'positive items without an edge to the diagnosis row that labels them',
    strangers: 'edges of items that are not in the release',
  };
  for (const [name, n] of Object.entries(row!)) check.expect(n === 0, () => `${n} ${words[name]}`);
  return check.result();
}
