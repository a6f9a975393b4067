/** Every feature is made by exactly one file, and every sentence of the registry is bound to something that runs. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FEATURE_IDS } from '../../schemas/supmimic.js';
import { readRules, STAGE_FILES, VALUE_FILES } from '../../stages/build-features/features.js';
import { TRACE_FILES } from '../../stages/build-features/trace.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { parseRegistry, REGISTRY_FILE } from '../../stages/lib/registry.js';

const HERE = 'stages/build-features';
const read = (file: string): string => readFileSync(file, 'utf8');
const registry = parseRegistry(read(REGISTRY_FILE));
const rules = readRules({ file: read });
const limits = (id: string): string => {
  const f = registry.find((r) => r.feature_id === id)!;
  return `${f.plausible_low},${f.plausible_high}`;
};

describe('every feature is made by exactly one file', () => {
  it('has one rule per feature, for a file that runs', () => {
    expect(rules.map((r) => r.feature_id)).toEqual([...FEATURE_IDS]);
    const files = new Set([...VALUE_FILES, 'scores/index.ts']);
    expect(rules.filter((r) => !files.has(r.file))).toEqual([]);
    expect([...files].filter((f) => !rules.some((r) => r.file === f))).toEqual([]);
  });

  it('names a family feature in its own file and in no other', () => {
    for (const rule of rules.filter((r) => r.file.startsWith('families/'))) {
      const makers = VALUE_FILES.filter((f) => read(`${HERE}/${f}`).includes(`'${rule.feature_id}'`));
      // F369 lends its itemids to the chest tube; it is made by a template.
      expect(makers, rule.feature_id).toEqual([rule.file]);
    }
  });

  it('lists every score feature in the outputs of the scores', () => {
    const outputs = parseCsv(read(`${HERE}/scores/outputs.csv`), 'outputs.csv').map((r) => r.feature_id!);
    const formulas = STAGE_FILES.filter((f) => f.includes('/scores/') && f.endsWith('.sql'))
      .map(read)
      .join();
    const missing = rules
      .filter((r) => r.file === 'scores/index.ts')
      .filter((r) => !outputs.includes(r.feature_id) && !formulas.includes(`'${r.feature_id}'`));
    expect(missing).toEqual([]);
  });

  it('declares every file it reads, and only files that exist', () => {
    expect([...STAGE_FILES, ...TRACE_FILES].filter((f) => !existsSync(f))).toEqual([]);
  });
});

describe('no prose of the registry is left unbound', () => {
  const prose = parseCsv(read(`${HERE}/prose-rules.csv`), 'prose-rules.csv');
  const columns = ['unit_conversion', 'notes'] as const;

  it('binds each text of unit_conversion and notes once', () => {
    const bound = prose.map((p) => `${p.column}: ${p.text}`);
    const texts = columns.flatMap((c) => registry.map((f) => [c, f[c]]).filter(([, t]) => t !== ''));
    expect(bound.sort()).toEqual([...new Set(texts.map(([c, t]) => `${c}: ${t}`))].sort());
  });

  it('finds the evidence of every binding in the files', () => {
    const missing = prose
      .filter((p) => p.kind !== 'explanation')
      .flatMap((p) => p.evidence!.split(' | '))
      .filter((e) => {
        const cut = e.indexOf('#');
        return !read(`${HERE}/${e.slice(0, cut)}`).includes(e.slice(cut + 1));
      });
    expect(missing).toEqual([]);
    expect(prose.filter((p) => p.kind === 'explanation' && p.evidence!.length < 10)).toEqual([]);
  });

  it('gives each conversion that says something an operation', () => {
    const unbound = prose.filter((p) => p.column === 'unit_conversion' && p.kind !== 'operation');
    expect(unbound).toEqual([]);
  });

  it('knows every statistic and window code', () => {
    const windows = new Set(registry.map((f) => f.window));
    expect([...windows].sort()).toEqual(
      ['DER24', 'ICU0_6', 'ICU24', 'INT24', 'LAB24', 'PRIOR', 'PT0', 'STAY24', 'STAY_ANY'].sort(),
    );
    const direct = rules.filter((r) => r.file === 'templates/series-statistic.sql');
    expect(direct.filter((r) => r.operation !== r.feature.statistic)).toEqual([]);
  });
});

describe('limits written in data files are those of the registry', () => {
  it('laboratory itemids', () => {
    const items = parseCsv(read(`${HERE}/data/lab-items.csv`), 'lab-items.csv');
    // 50816 is the FiO2 that the ratio reads; its limits are those of its unit rule.
    const own = items.filter((i) => i.itemid !== '50816' && i.low !== '');
    expect(own.filter((i) => `${Number(i.low)},${Number(i.high)}` !== limits(i.limits_of!))).toEqual([]);
    for (const rule of rules.filter((r) => r.arguments.source === 'lab')) {
      const found = items.filter((i) => rule.feature.itemids.includes(Number(i.itemid)));
      expect(found.length, rule.feature_id).toBe(rule.feature.itemids.length);
      for (const i of found)
        expect(`${Number(i.low)},${Number(i.high)}`, rule.feature_id).toBe(limits(rule.feature_id));
    }
  });

  it('vasoactive drugs', () => {
    const items = parseCsv(read(`${HERE}/data/pressor-items.csv`), 'pressor-items.csv');
    for (const rule of rules.filter((r) => r.file === 'templates/pressor-max.sql')) {
      const found = items.filter((i) => i.drug === rule.arguments.drug);
      expect(found.map((i) => Number(i.itemid)).sort()).toEqual([...rule.feature.itemids].sort());
      for (const i of found) expect(`0,${Number(i.high)}`).toBe(limits(rule.feature_id));
    }
  });

  it('comorbidity groups', () => {
    const groups = parseCsv(read('raw/mimic/comorbidity-codes.csv'), 'comorbidity-codes.csv');
    for (const rule of rules.filter((r) => r.operation === 'any_of_group')) {
      const { group, system } = rule.arguments;
      expect(
        groups.some((g) => g.group === group && g.system === system),
        rule.feature_id,
      ).toBe(true);
    }
  });
});
