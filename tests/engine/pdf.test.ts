/** The PDF adapter: what is drawn comes back in points, whatever the matrices; what cannot be read says so. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashFolder } from '../../pipelines/engine/adapters/files.js';
import { openPdf, readPdf } from '../../pipelines/engine/adapters/pdf.js';
import { explainMissing, PDFJS_VERSION, pdfLibraries } from '../../pipelines/engine/adapters/pdf-library.js';
import { PATH, subpaths } from '../../pipelines/engine/adapters/pdf-paths.js';
import { pagePicture } from '../../pipelines/engine/adapters/pdf-picture.js';
import { DataError, UsageError } from '../../pipelines/engine/errors.js';
import type { PdfPage } from '../../stages/contract.js';
import { type Pdf, printPdf } from '../support/print-pdf.js';
import { temporaryFolder } from '../support/stage.js';

const pageOf = async (bytes: Uint8Array, n = 1): Promise<PdfPage> => {
  const doc = await openPdf(bytes, 'a.pdf');
  try {
    return await doc.page(n);
  } finally {
    await doc.close();
  }
};

const draw = async (f: (doc: Pdf) => void, size: [number, number] = [400, 300]): Promise<PdfPage> =>
  pageOf(await printPdf(f, { size }));

const problem = async (run: () => Promise<unknown>): Promise<DataError> => {
  const error = await run().then(
    () => null,
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(DataError);
  return error as DataError;
};

const LIBERATION = 'node_modules/pdfjs-dist/standard_fonts/LiberationSans-Regular.ttf';

/** The file with one text of its own replaced by another one of the same length. */
function replaced(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  expect(text).toContain(from);
  return new Uint8Array(Buffer.from(text.replace(from, to), 'latin1'));
}

const near = (a: readonly number[], b: readonly number[], by = 0.05): boolean =>
  a.length === b.length && a.every((x, i) => Math.abs(x - b[i]!) <= by);

describe('glyphs', () => {
  it('stand where the font metrics put them, and the bytes stay whole', async () => {
    const bytes = await printPdf(
      (d) => d.font('Courier').fontSize(10).text('AB 1', 50, 100, { lineBreak: false }),
      { size: [400, 300] },
    );
    const before = bytes.slice();
    const page = await pageOf(bytes);
    expect(bytes).toEqual(before);
    expect(page.glyphs.map((g) => g.text).join('')).toBe('AB 1');
    // Courier is 600 / 1000 em wide; pdfkit puts the baseline at the ascender, 629 / 1000 em below the given y.
    expect(
      near(
        page.glyphs.map((g) => g.x0),
        [50, 56, 62, 68],
      ),
    ).toBe(true);
    expect(
      near(
        page.glyphs.map((g) => g.x1),
        [56, 62, 68, 74],
      ),
    ).toBe(true);
    expect(page.glyphs.every((g) => Math.abs(g.y0 - (300 - 100 - 6.29)) < 0.1 && g.size === 10)).toBe(true);
  });

  it('follow scaling, turning and nested states', async () => {
    const page = await draw((d) => {
      d.font('Courier').fontSize(10);
      d.save().translate(100, 100).rotate(90).scale(2).text('A', 0, 0, { lineBreak: false }).restore();
      d.text('B', 10, 10, { lineBreak: false });
    });
    const [a, b] = page.glyphs;
    expect(a!.size).toBeCloseTo(20);
    // Turned by 90 degrees on the screen, the text runs down the page: y falls, x stays.
    expect(a!.x1 - a!.x0).toBeCloseTo(0);
    expect(a!.y0 - a!.y1).toBeCloseTo(12);
    expect(b!.x1 - b!.x0).toBeCloseTo(6);
  });

  it('without ink or clipped away are not visible', async () => {
    const page = await draw((d) => {
      d.font('Courier').fontSize(10);
      d.save().rect(0, 0, 55, 300).clip().text('AB', 50, 100, { lineBreak: false }).restore();
      d.addContent('3 Tr').text('C', 10, 10, { lineBreak: false });
    });
    expect(page.glyphs.map((g) => [g.text, g.is_visible])).toEqual([
      ['A', true],
      ['B', false],
      ['C', false],
    ]);
  });

  it('whose character the font does not tell are known as such', async () => {
    const bytes = await printPdf((d) =>
      d.font(LIBERATION).fontSize(10).text('rifampin', 10, 10, { lineBreak: false }),
    );
    const page = await pageOf(replaced(bytes, '/ToUnicode', '/ToUnicodX'));
    expect(page.glyphs.every((g) => !g.is_mapped)).toBe(true);
  });

  it('of another width than their character usually has are doubtful', async () => {
    const bytes = await printPdf((d) =>
      d.font(LIBERATION).fontSize(10).text('iii \ufb01nasteride', 10, 10, { lineBreak: false }),
    );
    const whole = await pageOf(bytes);
    expect(whole.glyphs.some((g) => g.is_doubtful)).toBe(false);
    // The map of characters calls the ligature by its last letter alone.
    const page = await pageOf(replaced(bytes, '<fb01>', '<0069>'));
    expect(page.glyphs.map((g) => g.text).join('')).toBe('iii inasteride');
    expect(page.glyphs.filter((g) => g.is_doubtful).map((g) => g.text)).toEqual(['i']);
  });
});

describe('shapes', () => {
  it('are strokes and fills in points with width and colour', async () => {
    const page = await draw((d) => {
      d.save()
        .translate(10, 20)
        .scale(2)
        .lineWidth(0.5)
        .moveTo(0, 0)
        .lineTo(50, 0)
        .stroke('#ff0000')
        .restore();
      d.rect(30, 40, 100, 0.8).fill('#000000');
    });
    const [line, box] = page.shapes;
    expect(line).toMatchObject({
      kind: 'stroke',
      color: '#ff0000',
      is_straight: true,
      is_closed: false,
      width: 1,
    });
    expect(near(line!.points, [10, 280, 110, 280])).toBe(true);
    expect(box).toMatchObject({ kind: 'fill', color: '#000000', is_straight: true });
    expect(
      near(
        [Math.min(...box!.points.filter((_, i) => i % 2)), Math.max(...box!.points.filter((_, i) => i % 2))],
        [259.2, 260],
      ),
    ).toBe(true);
  });

  it('tell a curve that is a line from one that is not', async () => {
    const page = await draw((d) => {
      d.moveTo(10, 10).bezierCurveTo(40, 10, 70, 10, 100, 10).stroke();
      d.moveTo(10, 50).bezierCurveTo(40, 20, 70, 80, 100, 50).stroke();
    });
    expect(page.shapes.map((s) => s.is_straight)).toEqual([true, false]);
  });

  it('carry what is left of the page after clipping', async () => {
    const page = await draw((d) => {
      d.save().rect(20, 20, 50, 50).clip().moveTo(0, 30).lineTo(300, 30).stroke().restore();
    });
    const line = page.shapes.find((s) => s.kind === 'stroke')!;
    expect(near(line.clip, [20, 230, 70, 280])).toBe(true);
  });

  it('have the path opcodes of the pinned library, and an unknown one is an error', async () => {
    const { pdfjs } = await pdfLibraries();
    expect(pdfjs.version).toBe(PDFJS_VERSION);
    const path = [PATH.moveTo, 0, 0, PATH.curveTo, 1, 1, 2, 1, 3, 0, PATH.lineTo, 3, 5, PATH.closePath];
    expect(subpaths(path, [2, 0, 0, 2, 0, 0])).toEqual([
      { points: [0, 0, 2, 2, 4, 2, 6, 0, 6, 10], isStraight: false, isClosed: true },
    ]);
    expect(() => subpaths([7, 1, 1], [1, 0, 0, 1, 0, 0])).toThrow('unknown path opcode 7');
  });
});

describe('pages', () => {
  it('have their view and their rotation; a page that is not there is an error', async () => {
    const bytes = await printPdf(
      (d) => {
        Object.assign(d.page.dictionary.data, { Rotate: 90 });
        d.text('x', 10, 10);
      },
      { size: [400, 300] },
    );
    const page = await pageOf(bytes);
    expect(page).toMatchObject({ page: 1, view: [0, 0, 400, 300], rotation: 90, images_n: 0 });
    expect((await problem(() => pageOf(bytes, 2))).message).toContain('no such page');
  });

  it('have facts and text for people', async () => {
    const doc = await openPdf(await printPdf((d) => d.font('Courier').text('Dose 30', 10, 10)), 'a.pdf');
    expect(doc.facts).toMatchObject({ pages_n: 1, producer: 'tests', title: null });
    expect((await doc.text(1)).trim()).toBe('Dose 30');
    await doc.close();
  });

  it('become pictures, whole or round a box', async () => {
    const bytes = await printPdf((d) => d.rect(100, 100, 50, 20).fill('#000000'), { size: [400, 300] });
    const whole = await pagePicture(bytes, { page: 1, path: 'a.pdf', scale: 1 });
    expect([whole.width, whole.height]).toEqual([400, 300]);
    expect(Buffer.from(whole.png.subarray(1, 4)).toString()).toBe('PNG');
    const part = await pagePicture(bytes, {
      page: 1,
      path: 'a.pdf',
      box: [100, 180, 150, 200],
      margin: 5,
      scale: 3,
    });
    expect([part.width, part.height]).toEqual([180, 90]);
    expect(part.png).not.toEqual(
      (await pagePicture(bytes, { page: 1, path: 'a.pdf', box: [0, 0, 50, 20], margin: 5, scale: 3 })).png,
    );
    expect((await problem(() => pagePicture(bytes, { page: 9, path: 'a.pdf' }))).message).toContain(
      'no such page',
    );
    expect(
      (await problem(() => pagePicture(bytes, { page: 1, path: 'a.pdf', box: [900, 900, 910, 910] })))
        .message,
    ).toContain('outside its page');
  });
});

describe('what cannot be read', () => {
  it('an encrypted file', async () => {
    const bytes = await printPdf((d) => d.text('secret', 10, 10), {
      options: { userPassword: 'a', ownerPassword: 'b', pdfVersion: '1.7' },
    });
    const error = await problem(() => openPdf(bytes, 'guideline.pdf'));
    expect(error.message).toBe(
      [
        'the PDF is encrypted and asks for a password',
        '  where:    guideline.pdf',
        '  expected: a PDF that opens without a password',
        '  next:     ask its publisher for an open copy; no password is tried',
      ].join('\n'),
    );
  });

  it('an empty file, a file that is no PDF, a file cut in its middle', async () => {
    expect((await problem(() => openPdf(new Uint8Array(), 'a.pdf'))).message).toContain(
      'the PDF file is empty',
    );
    const error = await problem(() => openPdf(new TextEncoder().encode('<html>not found</html>'), 'a.pdf'));
    expect(error.message).toMatch(
      /damaged and cannot be opened\n {2}where: {4}a\.pdf\n {2}got: {6}Invalid PDF structure/,
    );
    const whole = await printPdf((d) => d.text('x'.repeat(5000), 10, 10));
    const cut = await openPdf(whole.slice(0, 400), 'a.pdf').then(
      () => null,
      (e: unknown) => e,
    );
    expect(cut).toBeInstanceOf(DataError);
  });

  it('a file that changed after it was hashed, and one that is gone', async () => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, 'a.pdf'), await printPdf((d) => d.text('x', 10, 10)));
    const [file] = await hashFolder(dir);
    await (await readPdf(file!)).close();
    writeFileSync(join(dir, 'a.pdf'), await printPdf((d) => d.text('y', 10, 10)));
    expect((await problem(() => readPdf(file!))).message).toContain('a file changed after it was hashed');
    rmSync(join(dir, 'a.pdf'));
    expect((await problem(() => readPdf(file!))).message).toContain('ENOENT');
  });

  it('an installation without the canvas package, or with another library', () => {
    const missing = explainMissing(new ReferenceError('DOMMatrix is not defined'));
    expect(missing).toBeInstanceOf(UsageError);
    expect((missing as UsageError).message).toContain('@napi-rs/canvas is not installed');
    expect((explainMissing(new Error('pdfjs-dist is 5.6.205')) as UsageError).message).toContain(
      `expected: pdfjs-dist ${PDFJS_VERSION}`,
    );
    const other = new Error('something else');
    expect(explainMissing(other)).toBe(other);
  });

  it('importing the libraries from an empty folder opens no file there', () => {
    const dir = mkdtempSync(join(tmpdir(), 'empty-'));
    try {
      const code = `await import(${JSON.stringify(resolve('node_modules/pdf-parse/dist/pdf-parse/esm/index.js'))}); process.stdout.write('ok')`;
      mkdirSync(join(dir, 'in'));
      const out = execFileSync(process.execPath, ['--input-type=module', '-e', code], {
        cwd: join(dir, 'in'),
        encoding: 'utf8',
      });
      expect(out).toBe('ok');
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
