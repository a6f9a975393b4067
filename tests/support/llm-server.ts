/** A real HTTP server that speaks the chat completions API and does what a test tells it, faults included. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface SeenRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown> & { messages: { role: string; content: string }[] };
  readonly at: number;
}

/** What the server does with one request. */
export type Act = (res: ServerResponse, seen: SeenRequest) => void;

/** The n-th request (from 0) gets the act that the script returns. */
export type Script = (seen: SeenRequest, n: number) => Act;

export interface LlmServer {
  readonly url: string;
  readonly port: number;
  readonly requests: SeenRequest[];
  close(): Promise<void>;
}

/** Starts the server on a free port; it ends with the test, or, started outside of one, when it is closed. */
export async function llmServer(script: Script | readonly Act[]): Promise<LlmServer> {
  const requests: SeenRequest[] = [];
  const choose: Script =
    typeof script === 'function' ? script : (_, n) => script[Math.min(n, script.length - 1)]!;
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const seen = { headers: req.headers, body: text ? JSON.parse(text) : {}, at: performance.now() };
      requests.push(seen);
      choose(seen, requests.length - 1)(res, seen);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  try {
    onTestFinished(close);
  } catch {
    // Called from beforeAll: the caller closes it.
  }
  return { url: `http://127.0.0.1:${port}/v1`, port, requests, close };
}

export interface CompletionSpec {
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly finish_reason?: string | null;
  readonly model?: string;
  readonly id?: string;
  readonly usage?: unknown;
  readonly choices?: unknown;
}

/** Body of a completion. */
export const completionBody = (spec: CompletionSpec): string =>
  JSON.stringify({
    id: spec.id ?? 'resp-1',
    object: 'chat.completion',
    created: 0,
    model: spec.model ?? 'test-model',
    choices: spec.choices ?? [
      {
        index: 0,
        finish_reason: spec.finish_reason === undefined ? 'stop' : spec.finish_reason,
        message: { role: 'assistant', content: spec.content ?? null, refusal: spec.refusal ?? null },
      },
    ],
    ...('usage' in spec
      ? { usage: spec.usage }
      : { usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 } }),
  });

/** Sends a status with headers and a body. */
export const status =
  (code: number, body: string, headers: Record<string, string> = {}): Act =>
  (res) => {
    res.writeHead(code, {
      'content-type': body.startsWith('{') ? 'application/json' : 'text/html',
      ...headers,
    });
    res.end(body);
  };

/** A completion with this content (an object is sent as its JSON). */
export const say = (content: unknown, more: CompletionSpec = {}): Act =>
  status(
    200,
    completionBody({ content: typeof content === 'string' ? content : JSON.stringify(content), ...more }),
  );

/** A completion told in full. */
export const complete = (spec: CompletionSpec): Act => status(200, completionBody(spec));

/** Headers and half a body, then silence. */
export const stall: Act = (res) => {
  res.writeHead(200, { 'content-type': 'application/json' });
  res.write('{"id":"resp-1","choices":[{"index":0');
};

/** Headers and half a body, then the line breaks. */
export const reset: Act = (res) => {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
  res.write('{"id":"resp-1","choices":[{"index":0', () => res.destroy());
};

/** The line breaks before any byte. */
export const hangUp: Act = (res) => void res.destroy();
