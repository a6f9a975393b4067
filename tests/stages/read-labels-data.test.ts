/** The real labels and the real table against what was counted independently of the readers. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SqlRow } from '../../stages/contract.js';
import { parseCsv } from '../../stages/lib/csv.js';
import { readHeadings, splitNumbered } from '../../stages/read-labels/headings.js';
import { readLabels } from '../../stages/read-labels/stage.js';
import { hasMounted, MOUNT_DIR } from '../support/mounted.js';
import { runStageOn, type StageRun, temporaryFolder } from '../support/stage.js';

const IS_THERE = hasMounted();
const OPENFDA = `${MOUNT_DIR}/fda-labels-openfda`;
const SPL = `${MOUNT_DIR}/fda-spl-xml`;
const TGA = `${MOUNT_DIR}/tga-pregnancy-2019`;
const HTML = 'prescribing-medicines-in-pregnancy.table.html';

/** A folder with links to some files of another. */
function linkedFolder(from: string, files: readonly string[]): string {
  const dir = join(temporaryFolder(), 'linked');
  mkdirSync(dir);
  for (const file of files) symlinkSync(resolve(from, file), join(dir, file));
  return dir;
}

const squeezed = (text: string): string => text.replace(/[\s^|[\]]+/g, '');
const byDocument = (rows: readonly SqlRow[]): Map<string, SqlRow[]> => {
  const out = new Map<string, SqlRow[]>();
  for (const row of rows)
    out.set(String(row.document_id), [...(out.get(String(row.document_id)) ?? []), row]);
  return out;
};

describe.skipIf(!IS_THERE)('48 labels of openFDA', () => {
  let run: StageRun;
  let documents: SqlRow[];
  let sections: Map<string, SqlRow[]>;
  let tables: Map<string, SqlRow[]>;
  const index = IS_THERE ? parseCsv(readFileSync(`${OPENFDA}/index.csv`, 'utf8'), 'index.csv') : [];
  const raw = (file: string): Record<string, string[]> =>
    JSON.parse(gunzipSync(readFileSync(`${OPENFDA}/labels/${file}.json.gz`)).toString('utf8')).results[0];
  const isText = ([field, value]: [string, unknown]): boolean =>
    Array.isArray(value) && !field.endsWith('_table');

  beforeAll(async () => {
    run = await runStageOn(readLabels, { inputs: { labels: { folder: `${OPENFDA}/labels` } } });
    documents = await run.table('label_documents');
    sections = byDocument(await run.table('label_sections'));
    tables = byDocument(await run.table('label_tables'));
  });

  it('are the documents of the index, with its ids, dates, names and hashes', () => {
    expect(index.length).toBe(48);
    expect(
      documents.map((d) => [d.set_id, String(d.effective_date).replaceAll('-', ''), d.content_sha256]).sort(),
    ).toEqual(index.map((r) => [r.set_id, r.effective_time, r.json_sha256]).sort());
    for (const row of index) {
      const found = documents.find((d) => d.set_id === row.set_id)!;
      expect(JSON.parse(String(found.generic_names)), row.file).toContain(row.generic_name);
      expect(JSON.parse(String(found.brand_names)), row.file).toContain(row.brand_name);
    }
  });

  it('have the sections and as many tables as the index says', () => {
    for (const row of index) {
      const { document_id } = documents.find((d) => d.set_id === row.set_id)!;
      const own = sections.get(String(document_id))!;
      const hasField = (field: string): string =>
        own.some((s) => String(s.fields).split(', ').includes(field)) ? '1' : '0';
      const has = (test: (s: SqlRow) => boolean): string => (own.some(test) ? '1' : '0');
      expect(
        {
          has_pregnancy: hasField('pregnancy'),
          has_8_2_lactation: has((s) => s.number === '8.2' && s.code === '77290-5'),
          has_nursing_mothers: hasField('nursing_mothers'),
          has_pediatric_use: hasField('pediatric_use'),
          has_geriatric_use: hasField('geriatric_use'),
          has_boxed_warning: has((s) => s.code === '34066-1'),
          html_tables: String(
            (tables.get(String(document_id)) ?? []).reduce((n, t) => n + Number(t.occurrences_n), 0),
          ),
        },
        row.file,
      ).toEqual({
        has_pregnancy: row.has_pregnancy,
        has_8_2_lactation: row.has_8_2_lactation,
        has_nursing_mothers: row.has_nursing_mothers,
        has_pediatric_use: row.has_pediatric_use,
        has_geriatric_use: row.has_geriatric_use,
        has_boxed_warning: row.has_boxed_warning,
        html_tables: row.html_tables,
      });
    }
  });

  it('lose no text: every field, taken apart and joined, is the field', () => {
    const file = 'stages/read-labels/headings.csv';
    const headings = readHeadings(readFileSync(file, 'utf8'), file);
    let texts = 0;
    for (const row of index) {
      const { document_id } = documents.find((d) => d.set_id === row.set_id)!;
      const kept = new Set(
        sections.get(String(document_id))!.flatMap((s) =>
          String(s.fields)
            .split(', ')
            .map((f) => `${f} ${s.number} ${squeezed(String(s.text ?? ''))}`),
        ),
      );
      for (const [field, value] of Object.entries(raw(row.file!)).filter(isText)) {
        for (const text of value) {
          texts++;
          const pieces = splitNumbered(text, headings);
          const joined = pieces.map((p) => [p.number, p.title, p.text].filter(Boolean).join(' ')).join(' ');
          // `1. INDICATIONS` and `1 INDICATIONS` are the same heading.
          const undotted = pieces[0]!.number ? text.replace(/^(\s*\d+(?:\.\d+)?)\.\s/, '$1 ') : text;
          expect(squeezed(joined)).toBe(squeezed(undotted));
          for (const p of pieces) expect(kept).toContain(`${field} ${p.number} ${squeezed(p.text ?? '')}`);
        }
      }
    }
    expect(texts).toBeGreaterThan(1500);
  });

  it('find lactation filed under nursing mothers, or under the parent alone, and call it lactation', async () => {
    const lactation = [...sections.values()].flat().filter((s) => s.code === '77290-5');
    expect(lactation.every((s) => s.number === '8.2' && /^Lactation$/i.test(String(s.title)))).toBe(true);
    const fields = lactation.map((s) => String(s.fields));
    expect(fields.filter((f) => f === 'use_in_specific_populations').length).toBeGreaterThan(25);
    expect(fields.filter((f) => f.includes('nursing_mothers')).length).toBeGreaterThan(0);
    const nursing = [...sections.values()].flat().filter((s) => s.code === '34080-2');
    expect(nursing.every((s) => !/lactation|reproductive potential/i.test(String(s.title)))).toBe(true);
  });

  it('never take a reference or a number of a table for a heading: numbers rise within a section', () => {
    for (const own of sections.values()) {
      for (const field of new Set(own.flatMap((s) => String(s.fields).split(', ')))) {
        const subs = own.filter((s) => String(s.fields).startsWith(field) && /\./.test(String(s.number)));
        for (const s of subs) {
          const [, sub] = String(s.number).split('.').map(Number);
          expect(sub, `${field} ${s.number}`).toBeLessThanOrEqual(20);
        }
      }
    }
  });
});

describe.skipIf(!IS_THERE)('7 SPL documents', () => {
  let run: StageRun;
  let documents: SqlRow[];
  let sections: Map<string, SqlRow[]>;
  const files = IS_THERE ? readdirSync(SPL).filter((f) => f.endsWith('.xml')) : [];
  const idOf = (file: string): string => String(documents.find((d) => d.file === file)!.document_id);
  const text = (file: string): string =>
    readFileSync(`${SPL}/${file}`, 'utf8').replace(
      /<!--[\s\S]*?-->|<observationMedia[\s\S]*?<\/observationMedia>/g,
      '',
    );

  beforeAll(async () => {
    run = await runStageOn(readLabels, { inputs: { labels: { folder: linkedFolder(SPL, files) } } });
    documents = await run.table('label_documents');
    sections = byDocument(await run.table('label_sections'));
  });

  it('have every section with its code, and every table', async () => {
    const tables = byDocument(await run.table('label_tables'));
    for (const file of files) {
      const raw = text(file);
      const own = sections.get(idOf(file))!.filter((s) => s.kind === 'section');
      const codes = [...raw.matchAll(/<section\b[^>]*>\s*(?:<id [^>]*\/>\s*)?<code\s[^>]*?code="([^"]+)"/g)]
        .map((m) => (m[1] === '42229-5' ? 'null' : m[1]!))
        .sort();
      expect(own.map((s) => String(s.code)).sort(), file).toEqual(codes);
      const n = (tables.get(idOf(file)) ?? []).reduce((sum, t) => sum + Number(t.occurrences_n), 0);
      expect(n, file).toBe(raw.match(/<table[\s>]/g)?.length ?? 0);
    }
  });

  it('keep the text of every section to the letter', () => {
    const decoded = (s: string): string =>
      s
        .replace(/<[^>]*>/g, '')
        .replace(/&#x([0-9a-f]+);/gi, (_, h: string) => String.fromCodePoint(Number.parseInt(h, 16)))
        .replace(/&#(\d+);/g, (_, d: string) => String.fromCodePoint(Number(d)))
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&apos;', "'")
        .replaceAll('&amp;', '&');
    for (const file of files) {
      const raw = [...text(file).matchAll(/<text(?:\s[^>]*)?>([\s\S]*?)<\/text>/g)].map((m) =>
        squeezed(decoded(m[1]!)),
      );
      const own = sections.get(idOf(file))!.map((s) => squeezed(String(s.text ?? '')));
      // The order of words is that of the document, but a foot of a table comes last.
      const letters = (t: string): string => (text(file).includes('<tfoot') ? [...t].sort().join('') : t);
      expect(own.filter(Boolean).map(letters).sort(), file).toEqual(raw.filter(Boolean).map(letters).sort());
    }
  });

  it('hold parents without text, subsections without a code, and the sections that their source names', () => {
    const of = (file: string): SqlRow[] => sections.get(idOf(file))!;
    const veklury = of('remdesivir-veklury-eua-2020-12.xml');
    const lactation = veklury.find((s) => s.code === '77290-5')!;
    expect(lactation).toMatchObject({ number: '11.2', title: 'Lactation', text: null });
    const below = veklury.filter((s) => s.parent_id === lactation.section_id);
    expect(below.map((s) => [s.code, s.text !== null])).toEqual([
      [null, true],
      [null, true],
    ]);
    for (const file of ['adalimumab-humira.xml', 'atorvastatin-lipitor.xml'])
      for (const code of ['42228-7', '34080-2', '34081-0', '34082-8'])
        expect(
          of(file).some((s) => s.code === code),
          `${file} ${code}`,
        ).toBe(true);
    expect(of('otc-cough.xml').some((s) => s.code === '42228-7')).toBe(false);
    const nursing = of('atorvastatin-lipitor.xml').filter((s) => s.code === '34080-2');
    expect(nursing.map((s) => s.number).sort()).toEqual(['4.4', '8.3']);
  });

  it('are dated and named', () => {
    expect(documents.map((d) => d.effective_date).sort()).toEqual([
      '2010-07-28',
      '2011-04-26',
      '2012-02-29',
      '2013-09-30',
      '2014-01-13',
      '2017-11-07',
      '2020-12-21',
    ]);
    const humira = documents.find((d) => d.file === 'adalimumab-humira.xml')!;
    expect(JSON.parse(String(humira.generic_names))).toEqual(['Adalimumab', 'isopropyl alcohol']);
  });
});

describe.skipIf(!IS_THERE)('the TGA table of 2019', () => {
  it('gives all 1,512 rows, cell by cell those of the CSV', async () => {
    const run = await runStageOn(readLabels, {
      inputs: { labels: { folder: linkedFolder(TGA, [HTML]) } },
    });
    const csv = parseCsv(readFileSync(`${TGA}/prescribing-medicines-in-pregnancy.csv`, 'utf8'), 'tga.csv');
    const entries = (await run.table('category_entries')).sort((a, b) => Number(a.row_n) - Number(b.row_n));
    expect(csv.length).toBe(1512);
    expect(run.result.rows_in).toMatchObject({ category_rows: 1512, labels_read: 1 });
    expect(run.result.rejected).toEqual({});
    expect(
      entries.map((e) => [e.name, e.category_text, e.class_1 ?? '', e.class_2 ?? '', e.class_3 ?? '']),
    ).toEqual(csv.map((r) => Object.values(r)));
    const counts: Record<string, number> = {};
    for (const e of entries) counts[String(e.category)] = (counts[String(e.category)] ?? 0) + 1;
    expect(counts).toEqual({ B3: 344, C: 310, D: 277, B2: 235, B1: 161, A: 147, X: 36, null: 2 });
    expect(entries.filter((e) => e.kind === 'sentence').map((e) => e.category_text)).toEqual([
      'B1 or B2 (depending on brand of vaccine)',
      'B1 or B2 depending on brand',
    ]);
    expect(new Set(entries.map((e) => e.name)).size).toBe(1466);
    expect(entries.some((e) => /[<&]|\n/.test(`${e.name}${e.class_1}`.replace(' & ', '')))).toBe(false);
    const parts = (name: string): unknown => JSON.parse(String(entries.find((e) => e.name === name)!.parts));
    expect(parts('ledipasvir / sofosbuvir with ribavirin')).toEqual(
      ['ledipasvir', 'sofosbuvir', 'ribavirin'].map((name) => ({ name, qualifiers: [] })),
    );
    expect(parts('medroxyprogesterone (oral and IM high dose)')).toEqual([
      { name: 'medroxyprogesterone', qualifiers: ['(oral and IM high dose)'] },
    ]);
  });
});
