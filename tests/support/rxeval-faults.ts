/** Faults of a server, struck by the content of a request: the same requests are struck in every run, whatever their order. */
import { canonicalJson } from '../../stages/lib/canonical-json.js';
import { sha256 } from '../../stages/lib/hash.js';
import { randomStream } from '../../stages/lib/random.js';
import { type Act, complete, hangUp, reset, type SeenRequest, say, stall, status } from './llm-server.js';
import type { AskedFor, Question, Reply } from './rxeval-answers.js';

/** Faults of line and server: tried again until there is a reply. */
export const OF_TRANSPORT = [
  'storm_429',
  'error_500',
  'hang_up',
  'reset_mid_body',
  'stall',
  'no_completion',
] as const;
/** Replies of which none is an answer: asked for again with the prompt as it was. */
export const OF_FORM = ['truncated', 'malformed_json', 'wrong_schema', 'prose_around_json', 'empty'] as const;
/** Replies that count: a refusal is final, wrong ids are for the checks, another model is recorded. */
export const OF_CONTENT = ['refusal', 'wrong_ids', 'wrong_moment', 'other_model'] as const;

export type Fault = (typeof OF_TRANSPORT | typeof OF_FORM | typeof OF_CONTENT)[number];

export interface Strike {
  readonly fault: Fault;
  readonly question: Question;
}

/** Share of the requests that each fault strikes; together at most 1. */
export type FaultProfile = Partial<Record<Fault, number>>;

/** How often the fault comes before the server answers as it should. */
const TIMES: Partial<Record<Fault, number>> = {
  storm_429: 3,
  error_500: 2,
  other_model: Number.POSITIVE_INFINITY,
};

/** Tells for the n-th arrival of a request (from 0) which fault it meets; null for none. */
export function faultOf(profile: FaultProfile, seed: number, content: string, n: number): Fault | null {
  let left = randomStream(seed, 'fault', content).float();
  for (const [fault, share] of Object.entries(profile) as [Fault, number][]) {
    if (left < share) return n < (TIMES[fault] ?? 1) ? fault : null;
    left -= share;
  }
  return null;
}

/** What makes two requests the same question. */
export const contentOf = ({ body }: SeenRequest): string => sha256(canonicalJson(body.messages));

/** The server's doing under a fault, in place of the right reply. */
export function faultyAct(fault: Fault, reply: Reply, { schema }: Question): Act {
  const text = JSON.stringify(reply);
  switch (fault) {
    case 'storm_429':
      return status(429, '{"error":{"message":"slow down"}}', { 'retry-after': '0.02' });
    case 'error_500':
      return status(500, '<html>oops</html>');
    case 'hang_up':
      return hangUp;
    case 'reset_mid_body':
      return reset;
    case 'stall':
      return stall;
    case 'no_completion':
      return status(200, '{"object":"list"}');
    case 'truncated':
      return complete({ content: text.slice(0, text.length / 2), finish_reason: 'length' });
    case 'malformed_json':
      return say(text.slice(0, -2));
    case 'wrong_schema':
      return say({ ...reply, remark: 'more than was asked for' });
    case 'prose_around_json':
      return say(`Here is what you asked for:\n\`\`\`json\n${text}\n\`\`\``);
    case 'empty':
      return say(' ');
    case 'refusal':
      return complete({ content: null, refusal: 'I would rather not.' });
    case 'wrong_ids':
      return say(withWrongIds(reply, IDS[schema]));
    case 'wrong_moment':
      return say('moment' in reply ? { ...reply, moment: 'T000000000000' } : reply);
    case 'other_model':
      return say(reply, { model: 'another-model-2' });
  }
}

/** Fields whose ids a muddled model gets wrong: citations and triggers of authors, what critics speak of. */
const IDS: Readonly<Record<AskedFor, string>> = {
  selection: 'trigger_ref',
  chains: 'ref',
  chain_verdicts: 'order_id',
  distractors: 'ref',
  verdicts: 'distractor_id',
};

/** Every id in the field points to nowhere. */
const withWrongIds = (reply: Reply, field: string): Reply =>
  JSON.parse(
    JSON.stringify(reply).replaceAll(
      new RegExp(`"${field}":"([A-Z])[0-9a-f]{12}"`, 'g'),
      `"${field}":"$1ffffffffffff"`,
    ),
  ) as Reply;
