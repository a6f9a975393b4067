/** split-notes: offsets, header variants and traps, layouts of reports. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCsv } from '../../stages/lib/csv.js';
import { splitReport } from '../../stages/split-notes/report.js';
import { NOTE_HEADERS_FILE } from '../../stages/split-notes/run.js';
import { type Part, splitNote } from '../../stages/split-notes/split.js';
import { NOTE, noteHeaders, REPORT, reportHeaders } from './notes.fixture.js';
import { madeNote } from './notes.generator.js';

const sections = (parts: readonly Part[]): string[] => parts.map((p) => p.section);
const textOf = (parts: readonly Part[], section: string): string =>
  parts
    .filter((p) => p.section === section)
    .map((p) => p.text)
    .join('|');
const split = (text: string): Part[] => splitNote(text, noteHeaders);
const report = (text: string, isAddendum = false): Part[] => splitReport(text, reportHeaders, isAddendum);

/** Offsets give the text, parts follow one another, and nothing but blanks lies between them. */
function checkPlaces(text: string, parts: readonly Part[]): void {
  let at = 0;
  for (const p of parts) {
    expect(text.slice(p.start, p.end)).toBe(p.text);
    expect(text.slice(p.header_start, p.header_start + p.header.length)).toBe(p.header);
    expect(text.slice(at, p.header_start).trim()).toBe('');
    expect(text.slice(p.header_start + p.header.length, p.start).trim()).toBe('');
    at = p.end;
  }
  expect(text.slice(at).trim()).toBe('');
}

describe('discharge notes', () => {
  it('a note in the usual order', () => {
    const parts = split(NOTE);
    checkPlaces(NOTE, parts);
    expect([...new Set(sections(parts))].join(' ')).toBe(
      'name admission_date dob service allergies attending chief_complaint major_procedure hpi ros pmh social family exam exam_discharge results course meds_admission meds_discharge disposition diagnosis condition instructions followup',
    );
    expect(textOf(parts, 'hpi')).toContain('Hospital course: of this illness');
    expect(textOf(parts, 'hpi')).not.toContain('ROS');
    expect(textOf(parts, 'exam')).not.toContain('clear');
    expect(textOf(parts, 'exam_discharge')).toContain('Lungs: clear');
    expect(textOf(parts, 'course')).toContain('repeat film');
  });

  it('CRLF and CR give the same sections at their own places', () => {
    for (const end of ['\r\n', '\r']) {
      const text = NOTE.replaceAll('\n', end);
      const parts = split(text);
      checkPlaces(text, parts);
      expect(parts.map((p) => [p.section, p.text.replaceAll(end, '\n')])).toEqual(
        split(NOTE).map((p) => [p.section, p.text]),
      );
    }
  });

  it('every alias of the table is a header of its section', () => {
    const csv = readFileSync(NOTE_HEADERS_FILE, 'utf8');
    for (const { section, alias, form, within } of parseCsv(csv, NOTE_HEADERS_FILE)) {
      if (form === 'part') continue;
      const before = within === '' ? 'Facility:' : within === 'exam' ? 'Physical Exam:' : 'Discharge Exam:';
      const headers = [`${alias}:`, `${alias!.toUpperCase()} :`, ...(form === 'line' ? [alias!] : [])];
      for (const header of headers)
        expect(sections(split(`${before}\nx\n${header}\ny\n`)).at(-1), header).toBe(section);
    }
  });

  it('every variant of the headers that the generator writes is known', () => {
    const file = 'raw/mimic/synthetic/note_headers.csv';
    for (const { section, variants } of parseCsv(readFileSync(file, 'utf8'), file))
      for (const variant of variants!.split(';'))
        expect(sections(split(`Facility:\nx\n\n${variant}\ny\n`)).at(-1), variant).toBe(section);
  });

  it.each([
    [
      'a header word in a wrapped line',
      'HPI:\nHer long stay elsewhere and the tiring and slow\nhospital course was hard.\n',
    ],
    [
      'a header with a colon in a wrapped line',
      'HPI:\nHer long stay elsewhere, the tiring, slow, cold and lonely\nHospital Course: it was hard.\n',
    ],
    ['a small letter', 'HPI:\nShort line\nallergies: many, she says\n'],
    ['a header in the middle of a line', 'HPI:\nAs to the Past Medical History: unclear.\n'],
    ['a label that is no header', 'HPI:\nNeck: stiff.\n\nGeneral: tired.\n'],
    ['more than 60 characters', `HPI:\n${'very '.repeat(12)} Discharge Medications: none.\n`],
  ])('%s splits nothing', (_, text) => {
    expect(sections(split(text))).toEqual(['hpi']);
  });

  it.each([
    ['after an empty line even in small letters', 'HPI:\nx\n\nhospital course: y', 'hpi course'],
    ['after a short line', 'HPI:\nx\nPMH: y', 'hpi pmh'],
    // Several sections would fit: no header, the text stays where it is.
    ['masked words of no one section', 'HPI:\nx\n\n___ History:\ny', 'hpi'],
    ['masked word of one section', 'HPI:\nx\n\nMajor ___ or Invasive Procedure:\ny', 'hpi major_procedure'],
    ['unlisted course', 'HPI:\nx\n\nSICU hospital course summary:\ny', 'hpi course'],
    ['discharge outside the exam', 'HPI:\nx\n\nDischarge:\ny', 'hpi'],
    ['underlined', 'HPI:\nx\n\n== Brief Hospital Course ==\n=====\ny', 'hpi course'],
  ])('%s', (_, text, expected) => {
    expect(sections(split(text)).join(' ')).toBe(expected);
  });

  it('generated notes come apart as they were put together', () => {
    fc.assert(
      fc.property(madeNote, ({ text, parts }) => {
        const got = split(text);
        checkPlaces(text, got);
        expect(got.map((p) => [p.section, p.text])).toEqual(parts.map((p) => [p.section, p.text]));
      }),
      { numRuns: 300, seed: 5 },
    );
  });

  it('any text is covered from end to end', () => {
    const word = fc.constantFrom(
      'HPI:',
      'Exam',
      'Discharge:',
      '___',
      'x',
      ':',
      '\n',
      '\r\n',
      ' ',
      'Allergies:',
      '\n\n',
      'é😀',
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), (words) => {
        const text = words.join('');
        checkPlaces(text, split(text));
      }),
      { numRuns: 500, seed: 6 },
    );
  });
});

describe('reports', () => {
  it('findings and impression, ended by the notification', () => {
    const parts = report(REPORT);
    checkPlaces(REPORT, parts);
    expect(textOf(parts, 'findings')).toMatch(/^There is .* HEART: normal size. No\s+pneumothorax.$/s);
    expect(textOf(parts, 'impression')).toBe('Right lower lobe pneumonia.');
  });

  it.each([
    ['no header', 'CHEST (PORTABLE AP)\n\nLungs are clear.\n', 'CHEST (PORTABLE AP)\n\nLungs are clear.', ''],
    ['impression only', 'INDICATION: fall\nCOMPARISON: none\nIMPRESSION: No fracture.', '', 'No fracture.'],
    ['findings only', 'INDICATION: fall\nFINDINGS: No fracture.', 'No fracture.', ''],
    ['one line', 'INDICATION: fall. FINDINGS: Clear. IMPRESSION: Normal.', 'Clear.', 'Normal.'],
    ['lower case', 'Findings: Clear.\nImpression: Normal.', 'Clear.', 'Normal.'],
    ['conclusion', 'FINDINGS: Clear.\nCONCLUSION: Normal.', 'Clear.', 'Normal.'],
    ['summary', 'FINDINGS: Clear.\n\nSUMMARY: Normal.', 'Clear.', 'Normal.'],
    ['both in one', 'FINDINGS AND IMPRESSION: Clear, normal.', 'Clear, normal.', ''],
    [
      'recommendation',
      'FINDINGS: Clear.\nIMPRESSION: Normal.\nRECOMMENDATION(S): none.',
      'Clear.',
      'Normal.',
    ],
    ['signature', 'IMPRESSION: Normal.\n\nDictated by ___, MD', '', 'Normal.'],
    [
      'prose before the impression',
      'COMPARISON: none.\n\nClear.\n\nIMPRESSION: Normal.',
      'Clear.',
      'Normal.',
    ],
    [
      'wet read before headers',
      'WET READ: Fracture?\n\nFINDINGS: Clear.\nIMPRESSION: Normal.',
      'Clear.',
      'Normal.',
    ],
    ['wet read before prose', 'WET READ: Fracture?\n\nLungs are clear.', 'Lungs are clear.', ''],
    ['final report', 'WET READ: Fracture?\nFINAL REPORT\nIMPRESSION: Normal.', '', 'Normal.'],
  ])('%s', (_, text, findings, impression) => {
    const parts = report(text);
    checkPlaces(text, parts);
    expect([textOf(parts, 'findings'), textOf(parts, 'impression')]).toEqual([findings, impression]);
  });

  it('an addendum keeps its words, and its own findings', () => {
    expect(sections(report('A small effusion was left out.', true))).toEqual(['addendum']);
    expect(report('ADDENDUM  An effusion.\n', true).map((p) => [p.header, p.text])).toEqual([
      ['ADDENDUM', 'An effusion.'],
    ]);
    expect(sections(report('ADDENDUM: see below.\nIMPRESSION: Effusion.', true))).toEqual([
      'addendum',
      'impression',
    ]);
    expect(sections(report('IMPRESSION: Normal.\n\nADDENDUM: An effusion.'))).toEqual([
      'impression',
      'addendum',
    ]);
  });

  it('any report is covered from end to end', () => {
    const word = fc.constantFrom(
      'FINDINGS:',
      'IMPRESSION:',
      'WET READ',
      'Clear. ',
      '___ ',
      '\n',
      '\n\n',
      'COMPARISON: ',
      'Dictated by x',
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 25 }), fc.boolean(), (words, isAddendum) => {
        const text = words.join('');
        checkPlaces(text, report(text, isAddendum));
      }),
      { numRuns: 500, seed: 7 },
    );
  });
});
