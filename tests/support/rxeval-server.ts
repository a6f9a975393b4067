/** A model server that answers every prompt of rxeval as the rules would, with faults on demand. */
import { type Act, type LlmServer, llmServer, type SeenRequest, say } from './llm-server.js';
import {
  type AskedFor,
  answerOf,
  type Question,
  questionOf,
  type Reply,
  type RulesBuild,
} from './rxeval-answers.js';
import { contentOf, type FaultProfile, faultOf, faultyAct, type Strike } from './rxeval-faults.js';

export interface RxevalServerOptions {
  readonly rules: RulesBuild;
  readonly faults?: FaultProfile;
  readonly seed?: number;
  /** Changes a right reply before faults of form and line. */
  readonly edit?: (reply: Reply, question: Question) => Reply;
  /** In milliseconds, for every reply. */
  readonly delay?: number;
}

export interface RxevalServer extends LlmServer {
  readonly strikes: Strike[];
  /** Requests, by what they ask for. */
  asked(): Partial<Record<AskedFor, number>>;
  /** How often each question was answered as it should be: all beyond one is paid twice. */
  readonly answered: ReadonlyMap<string, number>;
}

/** Starts the server on a free port. */
export async function rxevalServer(options: RxevalServerOptions): Promise<RxevalServer> {
  const { rules, faults = {}, seed = 0, edit = (reply) => reply, delay = 0 } = options;
  const arrivals = new Map<string, number>();
  const answered = new Map<string, number>();
  const strikes: Strike[] = [];
  const choose = (seen: SeenRequest): Act => {
    const question = questionOf(seen);
    const content = contentOf(seen);
    const n = arrivals.get(content) ?? 0;
    arrivals.set(content, n + 1);
    const reply = edit(answerOf(rules, question), question);
    const fault = faultOf(faults, seed, content, n);
    if (!fault) {
      answered.set(content, (answered.get(content) ?? 0) + 1);
      return say(reply);
    }
    strikes.push({ fault, question });
    return faultyAct(fault, reply, question);
  };
  const script = (seen: SeenRequest): Act => {
    const act = choose(seen);
    return delay === 0 ? act : (res, s) => void setTimeout(() => act(res, s), delay);
  };
  const server = await llmServer(script);
  const asked = (): Partial<Record<AskedFor, number>> => {
    const n: Partial<Record<AskedFor, number>> = {};
    for (const seen of server.requests) {
      const { schema } = questionOf(seen);
      n[schema] = (n[schema] ?? 0) + 1;
    }
    return n;
  };
  return { ...server, strikes, answered, asked };
}
