/** Every cited fact found again in the released record, by plain code of its own. */
import { Check, type CheckResult } from '../../engine/verify-release.js';
import { Grounds, PARTNER, type Scene } from '../grounds.js';
import {
  type OpenRelease,
  type ReleasedChain,
  type ReleasedDistractor,
  readChains,
  readDistractors,
} from '../open.js';
import { citesOf } from '../trace.js';

interface Moment extends Scene {
  readonly starttime: string;
}

/** Chains: facts, dependencies, triggers, and that no order explains itself. */
export async function checkChains(r: OpenRelease): Promise<CheckResult[]> {
  const facts = new Check('every fact of every chain stands in the record before the cut');
  const form = new Check('steps depend on earlier ones, and no chain cites its own order');
  const cover = new Check('every right drug has a chain, and every moment a new event behind one');
  const grounds = await Grounds.open(r);
  const moments = await readMoments(r);
  const chains = await readChains(r);
  for (const chain of chains) {
    const moment = moments.get(chain.timepoint_id);
    cover.expect(moment !== undefined, () => `chain ${keyOf(chain)} has no moment`);
    if (!moment) continue;
    for (const cite of chain.steps.flatMap((s) => s.cites)) {
      const { problems, order_id, place } = grounds.find(cite, moment);
      facts.expect(problems.length === 0, () => `${keyOf(chain)}: ${problems[0]}`);
      form.expect(order_id !== chain.order_id, () => `${keyOf(chain)} cites its own order`);
      const is_new = chain.drug_class === 'REASONED_NEW';
      form.expect(!(is_new && place === PARTNER), () => `${keyOf(chain)} cites an order of its own moment`);
    }
    checkSteps(form, chain);
  }
  await checkCover(cover, r, chains);
  return [facts.result(), form.result(), cover.result()];
}

const keyOf = (c: ReleasedChain): string => `${c.timepoint_id}/${c.order_id}`;

function checkSteps(check: Check, chain: ReleasedChain): void {
  check.expect(chain.steps.length > 0, () => `${keyOf(chain)} is empty`);
  for (const [i, step] of chain.steps.entries()) {
    check.expect(step.number === i + 1, () => `${keyOf(chain)}: step ${i + 1} is numbered ${step.number}`);
    check.expect(
      step.depends_on.every((n) => n >= 1 && n < step.number),
      () => `${keyOf(chain)}: step ${step.number} depends on a step that is not before it`,
    );
    check.expect(
      step.cites.length + step.depends_on.length > 0,
      () => `${keyOf(chain)}: step ${step.number} rests on nothing`,
    );
  }
}

async function checkCover(check: Check, r: OpenRelease, chains: readonly ReleasedChain[]): Promise<void> {
  const chained = new Map(chains.map((c) => [keyOf(c), c]));
  const orders = await r.session.rows<{ timepoint_id: string; order_id: string }>(
    'select timepoint_id, order_id from timepoint_orders where is_answer order by all',
  );
  for (const o of orders)
    check.expect(chained.has(`${o.timepoint_id}/${o.order_id}`), () => `order ${o.order_id} has no chain`);
  const events = new Set(
    (await r.session.rows<{ event_id: string }>('select event_id from events')).map((e) => e.event_id),
  );
  const driven = new Set(
    chains
      .filter(
        (c) => c.drug_class === 'REASONED_NEW' && c.steps.some((s) => s.cites.some((x) => events.has(x.ref))),
      )
      .map((c) => c.timepoint_id),
  );
  for (const id of new Set(orders.map((o) => o.timepoint_id)))
    check.expect(driven.has(id), () => `moment ${id} has no right drug that a new event explains`);
}

/** Distractors: facts, targets, and that none was running or about to start. */
export async function checkDistractors(r: OpenRelease): Promise<CheckResult[]> {
  const facts = new Check('every fact of every distractor stands in the record before the cut');
  const apart = new Check('no distractor is a right drug, runs at the moment or starts within 24 hours');
  const grounds = await Grounds.open(r);
  const moments = await readMoments(r);
  const chains = new Map((await readChains(r)).map((c) => [keyOf(c), c]));
  const near = await ordersNear(r);
  for (const d of await readDistractors(r)) {
    const moment = moments.get(d.timepoint_id);
    apart.expect(moment !== undefined, () => `distractor ${d.distractor_id} has no moment`);
    if (!moment) continue;
    for (const cite of citesOf(d)) {
      const { problems } = grounds.find(cite, moment);
      facts.expect(problems.length === 0, () => `${d.distractor_id}: ${problems[0]}`);
    }
    checkTarget(facts, chains, d);
    const names = near.get(d.timepoint_id) ?? new Set();
    apart.expect(!names.has(foldName(d.drug)), () => `${d.distractor_id} is ordered around the moment`);
  }
  return [facts.result(), apart.result()];
}

function checkTarget(check: Check, chains: ReadonlyMap<string, ReleasedChain>, d: ReleasedDistractor): void {
  const chain = chains.get(`${d.timepoint_id}/${d.targets_order_id}`);
  const is_there =
    chain !== undefined && (d.targets_step === null || chain.steps.some((s) => s.number === d.targets_step));
  check.expect(is_there, () => `${d.distractor_id} perturbs a step that is not there`);
  check.expect(
    d.claims.length > 0 && d.claims.every((c) => d.proofs.some((p) => p.claim === c.kind)),
    () => `${d.distractor_id} claims what nothing proves`,
  );
}

const foldName = (name: string): string => name.toLowerCase().replace(/\s+/g, ' ').trim();

/** Names of drugs that run at a moment, belong to it, or start within 24 h after it. */
async function ordersNear(r: OpenRelease): Promise<Map<string, Set<string>>> {
  const rows = await r.session.rows<{ timepoint_id: string; drug: string }>(
    `select t.timepoint_id, o.drug from timepoints t join orders o using (hadm_id)
     where o.decided_at <= t.starttime + interval 24 hour and o.starttime <= t.starttime + interval 24 hour
       and coalesce(o.non_decision_reason, '') not in ('withdrawn', 'stop_before_start', 'outside_admission')
       and (o.stoptime is null or o.stoptime > t.starttime or o.starttime >= t.starttime)
       and (o.discontinued_at is null or o.discontinued_at > t.cut_at or o.starttime >= t.starttime)`,
  );
  const near = new Map<string, Set<string>>();
  for (const { timepoint_id, drug } of rows) {
    const names = near.get(timepoint_id) ?? new Set();
    near.set(timepoint_id, names.add(foldName(drug)));
  }
  return near;
}

async function readMoments(r: OpenRelease): Promise<Map<string, Moment>> {
  const rows = await r.session.rows<Moment>(
    'select timepoint_id, hadm_id, cut_at, starttime from timepoints',
  );
  return new Map(rows.map((m) => [m.timepoint_id, m]));
}

/** Pieces of the profile stand where they say in the text of their section. */
export async function checkProfile(r: OpenRelease): Promise<CheckResult> {
  const check = new Check('pieces of the profile stand where they say');
  const rows = await r.session.rows<{
    span_id: string;
    text: string;
    start_n: number;
    end_n: number;
    whole: string | null;
  }>(
    `select s.span_id, s.text, s.start_n, s.end_n, p.text as whole
     from profile_spans s left join profiles p using (hadm_id, section) order by s.span_id`,
  );
  for (const s of rows)
    check.expect(
      s.whole !== null && s.whole.slice(s.start_n, s.end_n) === s.text,
      () => `${s.span_id} does not stand in its section`,
    );
  return check.result();
}
