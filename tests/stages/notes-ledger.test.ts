/** Notes and profiles of a synthetic extract against the ledger of planted faults (D78 to D88). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SqlRow } from '../../stages/contract.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { foldWords } from '../../stages/lib/note-text.js';
import { type Chain, profileChain } from './profile-chain.js';

type Fault = Record<string, string>;

let runs: Chain;
let faults: Fault[];
let parts: Map<string, SqlRow[]>;
let reports: Map<string, SqlRow[]>;

const noteOf = (fault: Fault): string => fault.key!.replace('note_id=', '');

function grouped(rows: readonly SqlRow[]): Map<string, SqlRow[]> {
  const groups = new Map<string, SqlRow[]>();
  for (const row of rows) {
    const id = String(row.note_id);
    groups.set(id, [...(groups.get(id) ?? []), row]);
  }
  return groups;
}

/** Faults of one kind in notes that were split. */
const planted = (id: string, among: Map<string, SqlRow[]> = parts): Fault[] =>
  faults.filter((f) => f.dirty_id === id && among.has(noteOf(f)));

const textsOf = (note_id: string, section: string): string[] =>
  parts
    .get(note_id)!
    .filter((p) => p.section === section)
    .map((p) => String(p.text));

beforeAll(async () => {
  runs = await profileChain(200, 3);
  const ledger = readFileSync(join(runs.get('synth-mimic')!.dir, 'truth/dirty_ledger.csv'), 'utf8');
  faults = parseCsv(ledger, 'ledger');
  parts = grouped(await runs.get('split-notes')!.table('note_sections'));
  reports = grouped(await runs.get('split-notes')!.table('report_sections'));
}, 300_000);

describe('sections', () => {
  it('D79: every varied header is a header of its section', () => {
    const varied = planted('D79').flatMap((f) =>
      f.dirty_value!.split('\n').map((line) => ({ note_id: noteOf(f), line })),
    );
    expect(varied.length).toBeGreaterThan(100);
    for (const { note_id, line } of varied) {
      const at = line.indexOf('=');
      const found = parts.get(note_id)!.filter((p) => p.header === line.slice(at + 1));
      expect(
        found.map((p) => p.section),
        `${note_id} ${line}`,
      ).toContain(line.slice(0, at));
    }
  });

  it('D80, D82: the section holds exactly the text of the ledger', () => {
    const all = [...planted('D80'), ...planted('D82')];
    expect(all.length).toBeGreaterThan(5);
    for (const f of all) {
      const section = f.dirty_id === 'D80' ? 'hpi' : f.expectation!.split(':')[0]!;
      expect(textsOf(noteOf(f), section), noteOf(f)).toEqual([f.dirty_value]);
    }
  });

  it('D81: notes without a hospital course are kept and counted', async () => {
    const expected = planted('D81').map(noteOf).sort();
    const notes = await runs.get('split-notes')!.table('discharge_notes');
    const without = notes.filter((n) =>
      (JSON.parse(String(n.missing_sections)) as string[]).includes('course'),
    );
    expect(without.map((n) => n.note_id).sort()).toEqual(expected);
    expect(expected.length).toBeGreaterThan(5);
  });
});

describe('reports', () => {
  it('D87: findings and impression are extracted from 98 of 100', () => {
    const all = planted('D87', reports);
    expect(all.length).toBeGreaterThan(200);
    const found = all.filter((f) => {
      const [findings, impression] = f.expectation!.replace('findings: ', '').split('\nimpression: ');
      const shown = reports
        .get(noteOf(f))!
        .filter((p) => p.section === 'findings' || p.section === 'impression');
      const words = foldWords(plain(shown.map((p) => p.text).join(' ')));
      return [findings!, plain(impression!)].every((text) => words.includes(foldWords(text)));
    });
    expect(found.length / all.length).toBeGreaterThanOrEqual(0.98);
  });

  it('D85: reports without an admission are there, in the admission of the ledger', () => {
    for (const f of planted('D85', reports))
      expect(reports.get(noteOf(f))!.every((p) => String(p.hadm_id) === f.clean_value)).toBe(true);
    expect(planted('D85', reports).length).toBeGreaterThan(10);
  });

  it('D86, D88: addenda and late readings are available from their own time', () => {
    const all = [...planted('D86', reports), ...planted('D88', reports)];
    expect(all.length).toBeGreaterThan(10);
    for (const f of all)
      for (const p of reports.get(noteOf(f))!) expect(p.available_at, noteOf(f)).toBe(f.dirty_value);
    for (const f of planted('D86', reports)) {
      const own = reports.get(noteOf(f))!;
      expect(own.map((p) => p.section)).toEqual(['addendum']);
      expect(f.expectation).toContain(String(own[0]!.parent_note_id));
    }
  });
});

describe('profiles', () => {
  it('D78: no field holds a mask', async () => {
    const profiles = await runs.get('build-profile')!.table('profiles');
    expect(planted('D78').length).toBeGreaterThan(100);
    for (const p of profiles) expect(p.text).not.toContain('___');
  });

  it('D82: the leak check finds the planted sentences and no other', async () => {
    const all = await runs.get('build-profile')!.table('profile_leaks');
    // Notes of earlier admissions give the first diagnosis of the discharge, word for word, as the reason for coming.
    const named = all.filter((l) => l.reason === 'discharge_diagnosis');
    for (const l of named) expect(textsOf(String(l.note_id), 'hpi').join()).toContain('came in because of');
    const leaks = all.filter((l) => l.reason !== 'discharge_diagnosis');
    expect(leaks.map((l) => l.note_id).sort()).toEqual(planted('D82').map(noteOf).sort());
    const profiles = await runs.get('build-profile')!.table('profiles');
    for (const f of planted('D82')) {
      const leak = foldWords(f.expectation!.split('leak: ')[1]!);
      const note = leaks.find((l) => l.note_id === noteOf(f))!;
      const own = profiles.filter((p) => p.hadm_id === note.hadm_id);
      expect(own.some((p) => foldWords(String(p.text)).includes(leak))).toBe(false);
    }
  });

  it('D83: an addendum of a discharge note is no source of a profile', async () => {
    const used = new Set([...parts.keys()]);
    for (const f of faults.filter((x) => x.dirty_id === 'D83' && /-AD-/.test(x.key!)))
      expect(used.has(noteOf(f))).toBe(false);
  });
});

/** Numbers of a numbered impression are no part of what it says. */
const plain = (text: string): string => text.replace(/(^|\s)\d\.\s(?=[A-Z])/g, '$1');
