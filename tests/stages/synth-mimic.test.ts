/** The synthetic extract: same bytes, exact headers, sound references, every fault where the ledger says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { MIMIC_FILES, MIMIC_TABLES } from '../../schemas/mimic-files.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { groupBy } from '../../stages/lib/group-by.js';
import { synthMimic } from '../../stages/synth-mimic/stage.js';
import { runStageOn, type StageRun } from '../support/stage.js';

type Record_ = Record<string, string>;

/** Rows of one table of a generated extract. */
function read(run: StageRun, table: string): Record_[] {
  return parseCsv(text(run, table).replace('\ufeff', '').replaceAll('\r\n', '\n'), table);
}

function text(run: StageRun, table: string): string {
  return gunzipSync(readFileSync(join(run.dir, 'extract', `${table.replace('.', '/')}.csv.gz`))).toString();
}

const ledgerOf = (run: StageRun): Record_[] =>
  parseCsv(readFileSync(join(run.dir, 'truth/dirty_ledger.csv'), 'utf8'), 'ledger');

const DIRTY_ROWS = parseCsv(readFileSync('raw/mimic/synthetic/dirty_rows.csv', 'utf8'), 'dirty_rows');
/** The faults of any file, apart from those planted here: two must make a load fail. */
const ANY_FILE = /^any csv(\.gz)?$/;
const isPlanted = (r: Record_): boolean =>
  !ANY_FILE.test(r.table!) || ['D89', 'D91', 'D92'].includes(r.dirty_id!);

let dirty: StageRun;
let clean: StageRun;
let longer: StageRun;
const rows = new Map<string, Record_[]>();
const table = (name: string): Record_[] => rows.get(name)!;

beforeAll(async () => {
  dirty = await runStageOn(synthMimic, { config: { stays: 200 }, seed: 3 });
  clean = await runStageOn(synthMimic, { config: { stays: 200, profile: 'clean' }, seed: 3 });
  longer = await runStageOn(synthMimic, { config: { stays: 260 }, seed: 3 });
  for (const name of MIMIC_TABLES) rows.set(name, read(dirty, name));
}, 180_000);

describe('bytes', () => {
  it('are the same for one seed, whatever the number of workers, and differ for another', async () => {
    const again = await runStageOn(synthMimic, { config: { stays: 200 }, seed: 3, workers: 3 });
    const other = await runStageOn(synthMimic, { config: { stays: 200 }, seed: 4 });
    expect(again.result.outputs.extract!.sha256).toBe(dirty.result.outputs.extract!.sha256);
    expect(again.result.outputs.truth!.sha256).toBe(dirty.result.outputs.truth!.sha256);
    expect(other.result.outputs.extract!.sha256).not.toBe(dirty.result.outputs.extract!.sha256);
    const ids = (run: StageRun): string[] => read(run, 'hosp.admissions').map((r) => r.admittime!);
    expect(ids(other)).not.toEqual(ids(dirty));
  });

  it('give each of the first 200 subjects the same rows in a longer extract', () => {
    for (const name of [
      'hosp.admissions',
      'hosp.labevents',
      'icu.chartevents',
      'icu.inputevents',
      'hosp.omr',
      'hosp.prescriptions',
      'hosp.pharmacy',
      'hosp.poe',
      'hosp.emar',
    ]) {
      const short = table(name);
      const long = read(longer, name);
      expect(long.length).toBeGreaterThan(short.length);
      expect(long.slice(0, short.length), name).toEqual(short);
    }
  });

  it('come with sums and a manifest that says where they are from', () => {
    const sums = readFileSync(join(dirty.dir, 'extract/SHA256SUMS.txt'), 'utf8').trim().split('\n');
    expect(sums.length).toBe(MIMIC_TABLES.length);
    const manifest = JSON.parse(readFileSync(join(dirty.dir, 'extract/manifest.json'), 'utf8'));
    expect(manifest.provenance).toMatch(/synthetic/);
    for (const name of MIMIC_TABLES) {
      const file = manifest.files[`${name.replace('.', '/')}.csv.gz`];
      expect(file.rows, name).toBe(table(name).length);
      expect(sums).toContain(`${file.sha256} ${name.replace('.', '/')}.csv.gz`);
    }
  });

  it('hold several gzip members, a BOM and CRLF exactly where the ledger says', () => {
    const manifest = JSON.parse(readFileSync(join(dirty.dir, 'extract/manifest.json'), 'utf8'));
    const noted = (id: string): string[] =>
      ledgerOf(dirty)
        .filter((r) => r.dirty_id === id)
        .map((r) => r.table!);
    for (const name of MIMIC_TABLES) {
      const { gzip_members } = manifest.files[`${name.replace('.', '/')}.csv.gz`];
      expect(gzip_members > 1, name).toBe(noted('D91').includes(name));
      expect(text(dirty, name).startsWith('\ufeff'), name).toBe(noted('D92').includes(name));
      expect(text(dirty, name).includes('\r\n'), name).toBe(noted('D92').includes(name));
    }
  });
});

describe('layout', () => {
  it('has the exact header of every MIMIC-IV table', () => {
    for (const name of MIMIC_TABLES) {
      const header = text(dirty, name).replace('\ufeff', '').split(/\r?\n/, 1)[0];
      expect(header, name).toBe(MIMIC_FILES[name].columns.map((c) => c.name).join(','));
    }
  });

  it('fills every column that must be filled, in the declared type', () => {
    const pattern = {
      integer: /^-?\d+$/,
      double: /^-?\d+(\.\d+)?(e-?\d+)?$/,
      timestamp: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/,
      date: /^\d{4}-\d\d-\d\d$/,
      text: /[\s\S]/,
    };
    for (const name of MIMIC_TABLES) {
      for (const c of MIMIC_FILES[name].columns) {
        const bad = table(name).find((r) =>
          r[c.name] === '' ? !c.is_nullable : !pattern[c.type].test(r[c.name]!),
        );
        expect(bad?.[c.name], `${name}.${c.name}`).toBeUndefined();
      }
    }
  });

  it('writes the vocabulary of the release', async () => {
    const old = await runStageOn(synthMimic, { config: { stays: 200, version: '2.2', profile: 'clean' } });
    const values = (run: StageRun, name: string, column: string): Set<string> =>
      new Set(read(run, name).map((r) => r[column]!));
    expect([...values(old, 'hosp.admissions', 'language')].sort()).toEqual(['?', 'ENGLISH']);
    expect([...values(old, 'hosp.admissions', 'insurance')].sort()).toEqual([
      'Medicaid',
      'Medicare',
      'Other',
    ]);
    expect(values(old, 'hosp.patients', 'anchor_year_group').has('2020 - 2022')).toBe(false);
    expect(values(clean, 'hosp.patients', 'anchor_year_group').has('2020 - 2022')).toBe(true);
    expect(values(clean, 'hosp.admissions', 'language').has('English')).toBe(true);
  });
});

describe('references', () => {
  const set = (name: string, column: string): Set<string> => new Set(table(name).map((r) => r[column]!));
  const orphans = (name: string, column: string, known: Set<string>): Record_[] =>
    table(name).filter((r) => r[column] !== '' && !known.has(r[column]!));

  it('hold outside the ledger', () => {
    const ledger = ledgerOf(dirty);
    const count = (id: string): number => ledger.filter((r) => r.dirty_id === id).length;
    const subjects = set('hosp.patients', 'subject_id');
    const hadms = set('hosp.admissions', 'hadm_id');
    const stays = set('icu.icustays', 'stay_id');
    expect(orphans('hosp.admissions', 'subject_id', subjects).length).toBe(count('D22'));
    for (const name of [
      'hosp.transfers',
      'hosp.services',
      'hosp.diagnoses_icd',
      'hosp.labevents',
      'icu.icustays',
    ])
      expect(orphans(name, 'hadm_id', hadms), name).toEqual([]);
    for (const name of ['icu.chartevents', 'icu.inputevents', 'icu.outputevents', 'icu.procedureevents'])
      expect(orphans(name, 'stay_id', stays), name).toEqual([]);
    expect(orphans('icu.icustays', 'stay_id', set('hosp.transfers', 'transfer_id'))).toEqual([]);
  });

  it('find every item and code in its dictionary, but for D06', () => {
    const items = set('icu.d_items', 'itemid');
    for (const name of ['icu.chartevents', 'icu.inputevents', 'icu.outputevents', 'icu.procedureevents'])
      expect(orphans(name, 'itemid', items), name).toEqual([]);
    expect(orphans('hosp.labevents', 'itemid', set('hosp.d_labitems', 'itemid'))).toEqual([]);
    const code = (r: Record_): string => `${r.icd_version} ${r.icd_code!.trim()}`;
    const titled = new Set(table('hosp.d_icd_diagnoses').map(code));
    const untitled = table('hosp.diagnoses_icd').filter((r) => !titled.has(code(r)));
    expect(untitled.length).toBe(ledgerOf(dirty).filter((r) => r.dirty_id === 'D06').length);
  });

  it('give the registry items their documented labels', () => {
    const facts = parseCsv(readFileSync('raw/mimic/itemid-facts.csv', 'utf8'), 'facts');
    const label = new Map(
      [...table('icu.d_items'), ...table('hosp.d_labitems')].map((r) => [r.itemid, [r.label, r.category]]),
    );
    for (const f of facts) expect(label.get(f.itemid!), f.itemid).toEqual([f.label, f.category]);
  });

  it('keep ids unique', () => {
    const unique: [string, string[]][] = [
      ['hosp.patients', ['subject_id']],
      ['hosp.admissions', ['hadm_id']],
      ['hosp.transfers', ['transfer_id']],
      ['hosp.labevents', ['labevent_id']],
      ['icu.icustays', ['stay_id']],
      ['hosp.microbiologyevents', ['microevent_id']],
      ['note.radiology', ['note_id']],
      ['note.discharge', ['note_id']],
      ['hosp.diagnoses_icd', ['hadm_id', 'seq_num']],
      ['hosp.d_labitems', ['itemid']],
      ['icu.d_items', ['itemid']],
    ];
    for (const [name, key] of unique) {
      const keys = table(name).map((r) => key.map((c) => r[c]).join());
      expect(new Set(keys).size, name).toBe(keys.length);
    }
  });
});

describe('faults', () => {
  it('are planted in the exact number of dirty_rows.csv', () => {
    const ledger = ledgerOf(longer);
    for (const r of DIRTY_ROWS.filter(isPlanted)) {
      const expected = Math.max(1, Math.round((Number(r.units_per_1000_stays) * 260) / 1000));
      expect(ledger.filter((x) => x.dirty_id === r.dirty_id).length, r.dirty_id).toBe(expected);
    }
    const known = new Set(DIRTY_ROWS.filter(isPlanted).map((r) => r.dirty_id));
    expect(ledger.filter((x) => !known.has(x.dirty_id!))).toEqual([]);
  });

  it('stand in a row that the ledger names, with the dirty value in its column', () => {
    const index = new Map<string, Map<string, Record_[]>>();
    for (const e of ledgerOf(dirty).filter((x) => !x.key!.startsWith('file='))) {
      const columns = e.key!.split(';').map((p) => p.split('=')[0]!);
      const id = `${e.table} ${columns.join()}`;
      const keyOf = (r: Record_): string => columns.map((c) => `${c}=${r[c]}`).join(';');
      if (!index.has(id)) index.set(id, groupBy(table(e.table!), keyOf));
      const found = index.get(id)!.get(e.key!) ?? [];
      // D75 is the one fault that is a lack of rows.
      if (e.dirty_id === 'D75') {
        expect(found).toEqual([]);
        continue;
      }
      expect(found.length, `${e.dirty_id} ${e.key}`).toBeGreaterThan(0);
      const isDescribed =
        ['D02', 'D24', 'D54', 'D60', 'D96', 'D45', 'D78', 'D79', 'D80', 'D81', 'D82', 'D87'].includes(
          e.dirty_id!,
        ) || e.column === '';
      if (!isDescribed && e.dirty_id !== 'D20')
        expect(
          found.map((r) => r[e.column!]),
          `${e.dirty_id} ${e.key}`,
        ).toContain(e.dirty_value);
    }
  }, 120_000);

  it('are absent from a clean extract, whose other rows are the same', () => {
    expect(ledgerOf(clean)).toEqual([]);
    const ledger = ledgerOf(dirty);
    for (const name of [
      'hosp.patients',
      'hosp.admissions',
      'hosp.labevents',
      'icu.chartevents',
      'icu.outputevents',
    ]) {
      const line = (r: Record_): string => JSON.stringify(r);
      const before = new Set(read(clean, name).map(line));
      const changed = table(name).filter((r) => !before.has(line(r)));
      const noted = ledger.filter((e) => e.table === name).length;
      // D42, D47 and D58 write two rows for one unit; D11 and D18 may bring an admission or a panel with them.
      expect(changed.length, name).toBeLessThanOrEqual(noted + 60);
      expect(changed.length / table(name).length, name).toBeLessThan(0.15);
    }
  });

  it('leave a moved potassium that equals the registry potassium in everything but its itemid', () => {
    const of = (itemid: string): Record_ => table('hosp.d_labitems').find((r) => r.itemid === itemid)!;
    expect({ ...of('52610'), itemid: '' }).toEqual({ ...of('50971'), itemid: '' });
  });
});

describe('medicine', () => {
  /** First-day values of an itemid. */
  const firstDay = (name: string, itemid: string): number[] => {
    const start = new Map(
      table('icu.icustays').map((r) => [name.startsWith('icu') ? r.stay_id : r.subject_id, r.intime!]),
    );
    return table(name)
      .filter((r) => r.itemid === itemid && r.valuenum !== '')
      .filter((r) => {
        const from = Date.parse(
          `${start.get(name.startsWith('icu') ? r.stay_id : r.subject_id)!.slice(0, 16)}Z`,
        );
        const t = Date.parse(`${r.charttime!.slice(0, 16)}Z`) - from;
        return t >= 0 && t < 86_400_000;
      })
      .map((r) => Number(r.valuenum))
      .sort((a, b) => a - b);
  };

  // Medians of the open demo's first day (specs: mimic.md 7.3), with the width that 200 patients allow.
  it.each([
    ['heart rate', 'icu.chartevents', '220045', 90, 0.12],
    ['respiratory rate', 'icu.chartevents', '220210', 19, 0.12],
    ['SpO2', 'icu.chartevents', '220277', 97, 0.03],
    ['hemoglobin', 'hosp.labevents', '51222', 10.4, 0.1],
    ['platelets', 'hosp.labevents', '51265', 191, 0.2],
    ['white cells', 'hosp.labevents', '51301', 10.9, 0.2],
    ['sodium', 'hosp.labevents', '50983', 138, 0.02],
    ['potassium', 'hosp.labevents', '50971', 4.05, 0.06],
    ['bicarbonate', 'hosp.labevents', '50882', 23, 0.08],
    ['creatinine', 'hosp.labevents', '50912', 0.9, 0.3],
    ['urea', 'hosp.labevents', '51006', 17, 0.35],
    ['lactate', 'hosp.labevents', '50813', 1.8, 0.25],
    ['pH', 'hosp.labevents', '50820', 7.38, 0.005],
  ] as const)('has a median %s near the demo', (_, name, itemid, median, width) => {
    const values = firstDay(name, itemid);
    const middle = values[Math.floor(values.length / 2)]!;
    expect(middle).toBeGreaterThan(median * (1 - width));
    expect(middle).toBeLessThan(median * (1 + width));
  });

  it('lets diagnoses move their values without giving them away', async () => {
    const big = await runStageOn(synthMimic, { config: { stays: 800, profile: 'clean' }, seed: 5 });
    const latent = parseCsv(readFileSync(join(big.dir, 'truth/latent_diagnoses.csv'), 'utf8'), 'latent');
    const labs = read(big, 'hosp.labevents');
    const highest = (itemid: string): Map<string, number> => {
      const out = new Map<string, number>();
      for (const r of labs) {
        if (r.itemid !== itemid || r.valuenum === '') continue;
        out.set(r.subject_id!, Math.max(out.get(r.subject_id!) ?? -1e9, Number(r.valuenum)));
      }
      return out;
    };
    const auc = (dx: string, itemid: string): number => {
      const has = new Set(latent.filter((r) => r.dx_key === dx).map((r) => r.subject_id));
      const all = [...highest(itemid)];
      const yes = all.filter(([id]) => has.has(id)).map(([, v]) => v);
      const no = all.filter(([id]) => !has.has(id)).map(([, v]) => v);
      let wins = 0;
      for (const a of yes) for (const b of no) wins += a > b ? 1 : a === b ? 0.5 : 0;
      return wins / (yes.length * no.length);
    };
    for (const [dx, itemid] of [
      ['aki', '50912'],
      ['esrd', '50912'],
      ['septic_shock', '50813'],
      ['cirrhosis_alcohol', '50885'],
    ] as const) {
      expect(auc(dx, itemid), dx).toBeGreaterThan(0.58);
      expect(auc(dx, itemid), dx).toBeLessThan(0.96);
    }
    // Hyperlipidemia is coded and moves none of these.
    expect(Math.abs(auc('hyperlipidemia', '50983') - 0.5)).toBeLessThan(0.1);
  }, 120_000);

  it('writes what is below a limit into comments, and dipsticks too', () => {
    const troponin = table('hosp.labevents').filter((r) => r.itemid === '51003' && r.valuenum === '');
    expect(troponin.length).toBeGreaterThan(20);
    for (const r of troponin)
      expect(r.value === '' && /^(<0\.01\.|GREATER THAN)/.test(r.comments!)).toBe(true);
    const nitrite = table('hosp.labevents').filter((r) => r.itemid === '51487');
    const inComments = nitrite.filter((r) => r.comments !== '' && r.value === '').length;
    expect(inComments / nitrite.length).toBeGreaterThan(0.8);
  });

  it('shares a specimen between a gas and its type, and between blood count and differential', () => {
    const bySpecimen = (itemid: string): Set<string> =>
      new Set(
        table('hosp.labevents')
          .filter((r) => r.itemid === itemid)
          .map((r) => r.specimen_id!),
      );
    const types = bySpecimen('52033');
    for (const id of bySpecimen('50820')) expect(types.has(id)).toBe(true);
    const white = new Set([...bySpecimen('51301'), ...bySpecimen('51300')]);
    for (const id of bySpecimen('51256')) expect(white.has(id)).toBe(true);
  });
});
