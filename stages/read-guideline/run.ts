/** Reads every PDF of the folder: pages, words and rules, each with its place on the page. */
import { pdfDocuments, pdfPages, pdfRules, pdfWords } from '../../schemas/pdf.js';
import type { FolderFile, PdfDocument, PdfPage, SqlRow, StageContext } from '../contract.js';
import { contentId } from '../lib/hash.js';
import { type ReadPage, readPage } from '../lib/pdf/document.js';
import { bottom, top } from '../lib/pdf/types.js';
import { toPage, turnBox } from '../lib/pdf/upright.js';
import type { Config } from './config.js';

interface Rows {
  readonly documents: SqlRow[];
  readonly pages: SqlRow[];
  readonly words: SqlRow[];
  readonly rules: SqlRow[];
}

export async function run(ctx: StageContext, config: Config): Promise<void> {
  const rows: Rows = { documents: [], pages: [], words: [], rules: [] };
  const files = ctx.folder('pdfs');
  checkNames(ctx, config, files);
  const seen = new Map<string, string>();
  for (const [i, file] of files.entries()) {
    ctx.progress(i, files.length, file.path);
    const twin = seen.get(file.sha256);
    if (twin) failTwin(ctx, file.path, twin);
    seen.set(file.sha256, file.path);
    const doc = await ctx.readPdf(file);
    try {
      await readDocument(ctx, { file, doc, rows, blank: config.pages_without_text[file.path] ?? [] });
    } finally {
      await doc.close();
    }
  }
  ctx.records(
    'pages',
    rows.documents.reduce((n, d) => n + (d.pages_n as number), 0),
  );
  await ctx.sql.insert('pdf_documents', pdfDocuments, rows.documents);
  await ctx.sql.insert('pdf_pages', pdfPages, rows.pages);
  await ctx.sql.insert('pdf_words', pdfWords, rows.words);
  await ctx.sql.insert('pdf_rules', pdfRules, rows.rules);
}

function checkNames(ctx: StageContext, config: Config, files: readonly FolderFile[]): void {
  const unknown = Object.keys(config.pages_without_text).find((f) => !files.some((x) => x.path === f));
  if (unknown === undefined) return;
  ctx.fail({
    message: 'the configuration names a PDF that is not in the folder',
    file: unknown,
    field: 'pages_without_text',
    got: files.map((f) => f.path).join(', ') || 'no file',
    next: 'correct the name, or add the file',
  });
}

function failTwin(ctx: StageContext, file: string, twin: string): never {
  return ctx.fail({
    message: 'two PDF files have the same content',
    file,
    got: `the bytes of ${twin}`,
    expected: 'every document once',
    next: 'remove one of the two',
  });
}

interface Reading {
  readonly file: FolderFile;
  readonly doc: PdfDocument;
  readonly rows: Rows;
  readonly blank: readonly number[];
}

async function readDocument(ctx: StageContext, { file, doc, rows, blank }: Reading): Promise<void> {
  const document_id = contentId('pdf', file.sha256);
  const { pages_n, title, producer, pdf_version } = doc.facts;
  rows.documents.push({
    document_id,
    file: file.path,
    sha256: file.sha256,
    pages_n,
    title,
    producer,
    pdf_version,
  });
  for (let n = 1; n <= pages_n; n++) {
    const page = await doc.page(n);
    const read = readPage(page);
    if (read.pieces.length === 0 && !blank.includes(n)) failWithoutText(ctx, file.path, page, read);
    addPage(document_id, page, read, rows);
    if (read.turned !== '') ctx.count(`turned_text.${file.path}.${n}`, read.turned.length);
  }
}

function failWithoutText(ctx: StageContext, file: string, page: PdfPage, read: ReadPage): never {
  return ctx.fail({
    message: 'a page of the PDF has no text',
    file,
    row: `of page ${page.page}`,
    got: `${page.images_n} pictures and ${read.hidden_n} glyphs without ink`,
    expected: 'printed text; a scan, also one with recognised text behind it, is not read',
    next: 'get a copy with text, or name the page in pages_without_text if it is blank on purpose',
  });
}

function addPage(document_id: string, page: PdfPage, read: ReadPage, rows: Rows): void {
  const [x0, y0, x1, y1] = page.view;
  rows.pages.push({
    document_id,
    page: page.page,
    x0,
    y0,
    x1,
    y1,
    rotation: page.rotation,
    reading_angle: read.turn,
    words_n: read.pieces.length,
    rules_n: read.rules.across.length + read.rules.down.length,
    images_n: page.images_n,
    turned_text: read.turned === '' ? null : read.turned,
    hidden_glyphs_n: read.hidden_n,
  });
  rows.words.push(...wordRows(document_id, page.page, read));
  rows.rules.push(...ruleRows(document_id, page.page, read));
}

const boxRow = (read: ReadPage, box: readonly [number, number, number, number]): SqlRow => {
  const [x0, y0, x1, y1] = turnBox(box, (x, y) => toPage(read.turn, x, y));
  return { x0, y0, x1, y1 };
};

const wordRows = (document_id: string, page: number, read: ReadPage): SqlRow[] =>
  read.pieces.map((p, word) => ({
    document_id,
    page,
    word,
    text: p.text,
    ...boxRow(read, [p.x0, top(p), p.x1, bottom(p)]),
    baseline: p.base,
    size: p.size,
    font: p.font,
    is_mapped: p.is_mapped,
    is_doubtful: p.is_doubtful,
  }));

function ruleRows(document_id: string, page: number, read: ReadPage): SqlRow[] {
  const all = [
    ...read.rules.across.map((r) => ({ r, is_across: true, box: [r.from, r.at, r.to, r.at] as const })),
    ...read.rules.down.map((r) => ({ r, is_across: false, box: [r.at, r.from, r.at, r.to] as const })),
  ];
  return all.map(({ r, is_across, box }, rule) => ({
    document_id,
    page,
    rule,
    is_across,
    ...boxRow(read, box),
    thickness: r.thickness,
    breaks: r.breaks.length > 0 ? r.breaks.join(' ') : null,
  }));
}
