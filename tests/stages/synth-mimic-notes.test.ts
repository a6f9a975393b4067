/** Discharge notes of the synthetic extract: sections and their headers, what the history may tell, planted faults. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseCsv } from '../../stages/lib/csv.js';
import { unitsOf } from '../../stages/synth-mimic/dirt.js';
import { planNotes } from '../../stages/synth-mimic/note-plan.js';
import { STANDARD_LAYOUT } from '../../stages/synth-mimic/radiology.js';
import { streamsOf } from '../../stages/synth-mimic/rng.js';
import { synthMimic } from '../../stages/synth-mimic/stage.js';
import { wrap } from '../../stages/synth-mimic/wrap.js';
import { runStageOn, type StageRun } from '../support/stage.js';

type Record_ = Record<string, string>;
const table = (name: string): Record_[] =>
  parseCsv(readFileSync(`raw/mimic/synthetic/${name}.csv`, 'utf8'), name);
const HEADERS = table('note_headers');
const PHRASES = table('note_phrases');
const STAYS = 400;

let dirty: StageRun;
let clean: StageRun;
let ledger: Record_[];
let notes: Record_[];
let cleanNotes: Record_[];

function read(run: StageRun, name: string): Record_[] {
  const path = join(run.dir, 'extract', `${name.replace('.', '/')}.csv.gz`);
  return parseCsv(
    gunzipSync(readFileSync(path)).toString().replace('\ufeff', '').replaceAll('\r\n', '\n'),
    name,
  );
}

const faults = (id: string): Record_[] => ledger.filter((e) => e.dirty_id === id);
const idOf = (e: Record_): string => e.key!.split('=')[1]!;
const noteOf = (e: Record_): string => notes.find((n) => n.note_id === idOf(e))!.text!;

/** Forms of headers, longest first, with their sections. */
const FORMS = HEADERS.flatMap((h) =>
  h.variants!.split(';').map((form) => ({ form, section: h.section! })),
).sort((a, b) => b.form.length - a.form.length);

/** Blocks of a note by section: one blank in the line before each header. */
function sections(text: string): Map<string, { header: string; body: string }> {
  const out = new Map<string, { header: string; body: string }>();
  for (const block of text.split(/^ $/m).map((b) => b.replace(/^\n/, '').trimEnd())) {
    const found = FORMS.find(({ form }) => block.startsWith(form));
    if (found) out.set(found.section, { header: found.form, body: block.slice(found.form.length).trim() });
  }
  return out;
}

beforeAll(async () => {
  dirty = await runStageOn(synthMimic, { config: { stays: STAYS }, seed: 11 });
  clean = await runStageOn(synthMimic, { config: { stays: STAYS, profile: 'clean' }, seed: 11 });
  ledger = parseCsv(readFileSync(join(dirty.dir, 'truth/dirty_ledger.csv'), 'utf8'), 'ledger');
  notes = read(dirty, 'note.discharge');
  cleanNotes = read(clean, 'note.discharge');
}, 180_000);

describe('notes', () => {
  it('exist for the admissions that D84 does not name, dated by midnight, filed before it in some (D83)', () => {
    const index = new Set(read(dirty, 'icu.icustays').map((r) => r.hadm_id!));
    const without = faults('D84').map(idOf);
    expect(without.length).toBe(Math.round(STAYS * 0.13));
    const noted = new Set(notes.filter((n) => n.note_type === 'DS').map((n) => n.hadm_id!));
    expect(without.filter((hadm) => noted.has(hadm))).toEqual([]);
    expect([...noted].filter((hadm) => index.has(hadm)).length).toBe(STAYS - without.length);
    expect(notes.map((n) => n.note_id).sort()).toEqual(faults('D83').map(idOf).sort());
    expect(notes.filter((n) => !n.charttime!.endsWith(' 00:00:00'))).toEqual([]);
    const early = notes.filter((n) => n.storetime! < n.charttime!).length;
    expect(early).toBeGreaterThan(0);
    expect(early).toBeLessThan(notes.length * 0.12);
  });

  it('have the sections of note_headers.csv in their shares and order', () => {
    const all = cleanNotes.filter((n) => n.note_type === 'DS').map((n) => [...sections(n.text!).keys()]);
    const index = all.filter((keys) => keys.includes('exam') || keys.length > 14);
    const order = HEADERS.map((h) => h.section!);
    for (const keys of all) expect(keys).toEqual(order.filter((k) => keys.includes(k)));
    for (const h of HEADERS) {
      const share = index.filter((keys) => keys.includes(h.section!)).length / index.length;
      const wanted = h.section === 'course' ? 1 : Number(h.prob_present);
      expect(Math.abs(share - wanted), h.section).toBeLessThan(0.09);
    }
  });

  it('vary their headers in three of ten, only where D79 lists them', () => {
    const listed = new Map(faults('D79').map((e) => [idOf(e), e.dirty_value!.split('\n')]));
    let usual = 0;
    let other = 0;
    for (const n of notes.filter((x) => x.note_type === 'DS')) {
      const odd: string[] = [];
      for (const [section, { header }] of sections(n.text!)) {
        const { variants } = HEADERS.find((h) => h.section === section)!;
        if (!variants!.includes(';')) continue;
        if (header === variants!.split(';')[0]) usual++;
        else odd.push(`${section}=${header}`);
      }
      other += odd.length;
      expect(odd.sort(), n.note_id).toEqual([...(listed.get(n.note_id!) ?? [])].sort());
    }
    expect(other / (usual + other)).toBeGreaterThan(0.25);
    expect(other / (usual + other)).toBeLessThan(0.33);
    for (const n of cleanNotes.filter((x) => x.note_type === 'DS'))
      for (const [section, { header }] of sections(n.text!))
        expect(header).toBe(HEADERS.find((h) => h.section === section)!.variants!.split(';')[0]);
  });

  it('list allergies and home drugs that the tables know', () => {
    const allergies = new Set(table('allergies').map((r) => r.note_string!));
    const names = table('drugs').flatMap((r) => [r.drug!, ...r.aliases!.split(';')]);
    const known = names.map((x) => x.trim().toLowerCase()).filter((x) => x !== '');
    let drugs = 0;
    for (const n of cleanNotes) {
      const own = sections(n.text!);
      const list = own.get('allergies')?.body.replace(/\n/g, ' ');
      if (list && !allergies.has(list))
        for (const x of list.split(' / ')) expect(allergies.has(x), x).toBe(true);
      for (const line of own.get('meds_admission')?.body.split('\n') ?? []) {
        if (line === 'None') continue;
        const [, drug] = /^\d+\. (.*)$/.exec(line)!;
        expect(
          known.some((x) => drug!.toLowerCase().startsWith(x)),
          line,
        ).toBe(true);
        drugs++;
      }
    }
    expect(drugs).toBeGreaterThan(500);
  });

  it('name every illness in the history in words of a patient who has it, and deny none that he has', () => {
    const latent = parseCsv(readFileSync(join(clean.dir, 'truth/latent_diagnoses.csv'), 'utf8'), 'latent');
    const has = (subject: string, keys: string): boolean =>
      latent.some((r) => r.subject_id === subject && keys.split(';').includes(r.dx_key!));
    const folded = (text: string): string => text.replace(/\s+/g, ' ');
    let named = 0;
    for (const n of cleanNotes) {
      const history = folded(sections(n.text!).get('hpi')?.body ?? '');
      for (const p of PHRASES) {
        const text = `${p.text!.charAt(0).toUpperCase()}${p.text!.slice(1)}.`;
        if (p.slot === 'hpi_finding' && history.includes(text)) {
          named++;
          expect(has(n.subject_id!, p.dx_key!), `${n.note_id} ${p.text}`).toBe(true);
        }
        if (p.slot === 'hpi_denial' && history.includes(text)) {
          expect(has(n.subject_id!, p.dx_key!), `${n.note_id} ${p.text}`).toBe(false);
        }
      }
    }
    expect(named).toBeGreaterThan(STAYS);
  }, 60_000);

  it('keep the stay out of the history', () => {
    const told = /was started on|during this hospitalization|hospital day/i;
    for (const n of cleanNotes) {
      const own = sections(n.text!);
      for (const key of ['hpi', 'pmh']) expect(own.get(key)?.body ?? '').not.toMatch(told);
    }
    const chronic = /^(vap|delirium)$/;
    for (const p of PHRASES.filter((x) => x.slot === 'course' && chronic.test(x.dx_key!)))
      for (const n of cleanNotes) expect(sections(n.text!).get('hpi')?.body ?? '').not.toContain(p.text);
  });
});

describe('faults of notes', () => {
  it('D78: as many places are blanked as the ledger says, none in a clean note', () => {
    for (const e of faults('D78')) {
      expect(noteOf(e).replace(/\s+/g, ' '), e.key).toContain(e.dirty_value);
      expect(e.dirty_value).toContain('___');
    }
    const blank = /___ year old|Dr\. ___|___ Hospital|on ___\.|\. \w.* ___ mg/;
    for (const n of cleanNotes.filter((x) => x.note_type === 'DS')) {
      const own = sections(n.text!);
      if (own.has('exam')) expect(own.get('hpi')?.body ?? '').not.toMatch(blank);
    }
  });

  it('D80 and D82: the section holds exactly the text of the ledger, and without the fault the clean one', () => {
    for (const e of [...faults('D80'), ...faults('D82')]) {
      const [, key] = /^(\w+): /.exec(e.expectation!)!;
      const { body } = sections(noteOf(e)).get(key!)!;
      expect(body).toBe(e.dirty_value);
      expect(e.dirty_value).not.toBe(e.clean_value);
      if (e.dirty_id === 'D82') expect(e.dirty_value).toMatch(/was started on|During this hospitalization/);
    }
    expect(faults('D82').length).toBe(STAYS * 0.06);
  });

  it('D81: the course is missing there, and nowhere else', () => {
    const missing = notes
      .filter((n) => n.note_type === 'DS' && !sections(n.text!).has('course'))
      .map((n) => n.note_id);
    expect(missing.sort()).toEqual(faults('D81').map(idOf).sort());
  });
});

describe('the plan of a block', () => {
  const rules = table('dirty_rows').map((r) => ({
    id: r.dirty_id!,
    perThousand: Number(r.units_per_1000_stays),
    table: r.table!,
    expectation: '',
  }));
  const units = (id: string, stays: number): number => unitsOf(rules.find((r) => r.id === id)!, stays);
  const layouts = table('radiology_formats').map((r) => ({ value: r.format!, weight: Number(r.share) }));

  it('deals out exactly the units of D78, D83 and D87, for any block and its last part', () => {
    const blocks = fc.record({
      block: fc.integer({ min: 0, max: 400 }),
      size: fc.integer({ min: 4, max: 200 }),
      seed: fc.integer({ min: 0, max: 1_000_000 }),
    });
    const check = ({ block, size, seed }: { block: number; size: number; seed: number }): void => {
      const first = block * 200;
      const due = (id: string): number => units(id, first + size) - (first === 0 ? 0 : units(id, first));
      const without = new Set(Array.from({ length: due('D84') }, (_, k) => (k * 7) % size));
      const plans = planNotes(
        { first, size },
        {
          rules,
          streams: streamsOf(seed),
          layouts,
          faults: Array.from({ length: size }, (_, k) => new Set(without.has(k) ? ['D84'] : [])),
          fewest: (k) => 2 + (k % 3),
          hasPrior: (k) => k % 2 === 0,
          isDirty: true,
        },
      );
      const sum = (of: (k: number) => number): number => plans.reduce((n, _, k) => n + of(k), 0);
      expect(sum((k) => plans[k]!.masks)).toBe(due('D78'));
      expect(sum((k) => Number(plans[k]!.hasSecondNote))).toBe(
        Math.max(0, due('D83') - (size - without.size)),
      );
      const all = plans.flatMap((p) => p.layouts);
      expect(all.filter((x) => x !== STANDARD_LAYOUT).length).toBe(due('D87'));
      expect(Math.min(...plans.map((p) => p.layouts.length))).toBeGreaterThanOrEqual(2);
      for (const k of without) expect(plans[k]!.masks).toBe(0);
    };
    fc.assert(fc.property(blocks, check), { numRuns: 60 });
  });
});

describe('wrapping', () => {
  it('breaks at blanks only and keeps the words', () => {
    const text = 'a bb ccc dddd '.repeat(40);
    const lines = wrap(text, 20).split('\n');
    expect(Math.max(...lines.map((x) => x.length))).toBeLessThanOrEqual(20);
    expect(lines.join(' ')).toBe(text.trim());
    expect(wrap('word'.repeat(30), 20)).toBe('word'.repeat(30));
  });
});
