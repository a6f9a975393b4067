/** Keys of answers: everything that could change an answer changes its key. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOT_IN_KEY, requestKey, wireRequest } from '../../pipelines/engine/adapters/llm-wire.js';
import { ModelConfig } from '../../pipelines/engine/models.js';
import { canonicalJson } from '../../stages/lib/canonical-json.js';
import { question, setup } from './llm-support.js';

const one = setup('http://127.0.0.1:1/v1', { temperature: 0, top_p: 0.5, seed: 3 });
const WIRE = wireRequest(one, question(), 100);
const keyOf = (wire: object, sample = 0): string =>
  requestKey(one.server, wire as Record<string, unknown>, sample);

/** All paths to leaves of a JSON value. */
function leaves(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (value === null || typeof value !== 'object') return [path];
  const parts = Array.isArray(value) ? value.map((v, i) => [i, v] as const) : Object.entries(value);
  return parts.flatMap(([k, v]) => leaves(v, [...path, k]));
}

function replaced(value: unknown, path: readonly (string | number)[], leaf: unknown): unknown {
  if (path.length === 0) return leaf;
  const [head, ...rest] = path;
  if (Array.isArray(value)) return value.map((v, i) => (i === head ? replaced(v, rest, leaf) : v));
  return { ...(value as object), [head!]: replaced((value as Record<string, unknown>)[head!], rest, leaf) };
}

describe('keys', () => {
  it('change with every single field of the request, at any depth', () => {
    const paths = leaves(WIRE);
    expect(paths.length).toBeGreaterThan(15);
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue(), (path, leaf) => {
        const changed = replaced(WIRE, path, leaf);
        fc.pre(canonicalJson(changed) !== canonicalJson(WIRE));
        expect(keyOf(changed as object)).not.toBe(keyOf(WIRE));
      }),
      { seed: 1, numRuns: 400 },
    );
  });

  it('change when any field is added or left out, unless it is on the exclude list', () => {
    const known = [...Object.keys(WIRE), ...NOT_IN_KEY, '__proto__', 'constructor'];
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.jsonValue(), (name, value) => {
        fc.pre(!known.includes(name));
        expect(keyOf({ ...WIRE, [name]: value })).not.toBe(keyOf(WIRE));
      }),
      { seed: 2, numRuns: 200 },
    );
    for (const name of Object.keys(WIRE)) {
      const { [name]: _, ...rest } = WIRE;
      expect(keyOf(rest), name).not.toBe(keyOf(WIRE));
    }
    for (const name of NOT_IN_KEY) expect(keyOf({ ...WIRE, [name]: 'x' }), name).toBe(keyOf(WIRE));
  });

  it('do not depend on the order in which fields were written', () => {
    const turned = Object.fromEntries(Object.entries(WIRE).reverse());
    expect(keyOf(turned)).toBe(keyOf(WIRE));
  });

  it('change with sample, provider, and every sampling parameter of the config', () => {
    expect(new Set([0, 1, 2, 3, 4].map((n) => keyOf(WIRE, n))).size).toBe(5);
    const other = setup('http://127.0.0.1:1/v1', {}, { id: 'other' });
    expect(requestKey(other.server, WIRE, 0)).not.toBe(keyOf(WIRE));
    const base = { provider: 'test', model: 'test-model', max_tokens: 100, truncated_max_tokens: 400 };
    const variants = [
      {},
      { temperature: 0.7 },
      { temperature: null },
      { top_p: 0.9 },
      { seed: 0 },
      { seed: 1 },
      { max_tokens: 101 },
      { limit_field: 'max_completion_tokens' },
      { extra: { top_k: 5 } },
      { extra: { top_k: '5' } },
      { model: 'test-model-2' },
    ];
    const keys = variants.map((v) => {
      const model = { ...one, ...ModelConfig.parse({ ...base, ...v }) };
      return keyOf(wireRequest(model, question(), model.max_tokens));
    });
    expect(new Set(keys).size).toBe(variants.length);
  });

  it('follow the address unless the provider has an id', () => {
    const named = (url: string, id?: string) => requestKey(setup(url, {}, { id }).server, WIRE, 0);
    expect(named('http://127.0.0.1:1/v1', 'a')).toBe(named('http://127.0.0.1:2/v1', 'a'));
    expect(named('http://127.0.0.1:1/v1')).not.toBe(named('http://127.0.0.1:2/v1'));
    expect(named('http://127.0.0.1:1/v1')).toBe(named('http://127.0.0.1:1/v1/'));
  });
});
