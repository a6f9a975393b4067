/** build-profile with a model: nothing of a reply is taken that the allowed text does not bear out. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AllowedText, standsIn } from '../../stages/build-profile/allowed-text.js';
import { LeakCheck } from '../../stages/build-profile/leaks.js';
import { profileOfNote } from '../../stages/build-profile/note.js';
import type { Statement } from '../../stages/build-profile/pieces.js';
import type { Reply } from '../../stages/build-profile/reply.js';
import { takeReply } from '../../stages/build-profile/take-reply.js';
import { foldWords } from '../../stages/lib/note-text.js';
import { splitNote } from '../../stages/split-notes/split.js';
import { NOTE, noteHeaders } from './notes.fixture.js';

const check = new LeakCheck({ phrases: [], drugs: new Map(), course: [], diagnoses: [], past: '' });
const parts = splitNote(NOTE, noteHeaders).map((p, i) => ({
  note_id: '1-DS-1',
  hadm_id: 2,
  section: p.section,
  part_n: i + 1,
  text: p.text,
  start_n: p.start,
}));
const statements = profileOfNote(parts, { hpi: 'full', check }).statements;
const allowed = new AllowedText(statements);

const EMPTY: Reply = {
  chief_complaint: [],
  history_of_present_illness: [],
  review_of_systems: [],
  past_medical_history: [],
  social_history: [],
  family_history: [],
  physical_exam: [],
  allergy_statement: null,
  allergies: [],
  home_medications: [],
};
const take = (reply: Partial<Reply>) => takeReply({ ...EMPTY, ...reply }, allowed, 'note_id=1-DS-1');
const reasons = (reply: Partial<Reply>): string[] => take(reply).findings.map((f) => f.reason);
const medication = (
  quote: string,
  drug: string,
  dose: string | null,
  route: string | null,
): Partial<Reply> => ({
  home_medications: [{ quote, drug, dose, route }],
});

describe('stretches', () => {
  it.each([
    ['1 mg', '81 mg', false],
    ['81 mg', 'takes 81 mg.', true],
    ['38.9', '38.92', false],
    ['8.9', '38.9', false],
    ['1,000', '11,000', false],
    ['5', '2.5', false],
    ['5 mg', 'of 5 mg, daily', true],
    ['COPD', 'copd', true],
    ['a.b (c)', 'x a.b (c) y', true],
    ['', 'x', false],
  ])('"%s" in "%s": %s', (words, text, isThere) => {
    expect(standsIn(words, text)).toBe(isThere);
  });

  it('are taken as they stand, with the place of their pieces', () => {
    const [found] = take({
      history_of_present_illness: ['PRODUCTIVE cough and\nfever up to 38.9 C'],
    }).statements;
    expect(found!.text).toBe('productive cough and fever up to 38.9 C');
    expect(NOTE.slice(found!.note_start_n!, found!.note_end_n!).replace(/\s+/g, ' ')).toContain(found!.text);
  });

  it('may move to another section', () => {
    expect(take({ past_medical_history: ['a history of COPD'] }).statements[0]!.section).toBe(
      'past_medical_history',
    );
  });

  it.each([
    [
      'a number that is not there',
      { history_of_present_illness: ['fever up to 39.8 C'] },
      'number_not_found',
    ],
    ['words that are not there', { past_medical_history: ['hypertension'] }, 'quote_not_found'],
    [
      'words of a forbidden section',
      { history_of_present_illness: ['pneumonia and improved'] },
      'quote_not_found',
    ],
    ['the discharge exam', { physical_exam: ['Lungs: clear'] }, 'quote_not_found'],
    ['a denial cut off', { history_of_present_illness: ['chest pain'] }, 'meaning_turned'],
    ['an illness of the father', { past_medical_history: ['a stroke'] }, 'meaning_turned'],
    ['an allergy that is not there', { allergies: ['latex'] }, 'allergy_not_found'],
    ['a mask', { social_history: ['Unknown'] }, 'masked'],
    ['another drug', medication('Apixaban 5 mg PO BID', 'Warfarin', '5 mg', 'PO'), 'drug_not_found'],
    ['another dose', medication('Apixaban 5 mg PO BID', 'Apixaban', '2.5 mg', 'PO'), 'number_not_found'],
    ['another route', medication('Apixaban 5 mg PO BID', 'Apixaban', '5 mg', 'IV'), 'route_not_found'],
    [
      'a dose of another entry',
      medication('Apixaban 5 mg PO BID', 'Apixaban', '50 mg', 'PO'),
      'number_not_found',
    ],
  ])('%s', (_, reply, reason) => {
    expect(reasons(reply as Partial<Reply>)).toEqual([reason]);
    expect(take(reply as Partial<Reply>).statements).toEqual([]);
  });

  it('a whole denial is taken, a repeated stretch once, a masked dose is none', () => {
    expect(reasons({ history_of_present_illness: ['She denies chest pain.'] })).toEqual([]);
    expect(reasons({ past_medical_history: ['COPD', 'copd'] })).toEqual(['repeated']);
    const masked = take(
      medication('MetFORMIN (Glucophage) Unknown mg PO BID', 'MetFORMIN', 'Unknown mg', 'PO'),
    );
    expect(masked.statements[0]).toMatchObject({ name: 'MetFORMIN', dose_text: null, route: 'PO' });
  });

  it('whatever is replied, only words of the allowed text are shown', () => {
    const all = NOTE.split(/\s+/).filter((w) => w !== '');
    const stretch = fc
      .tuple(fc.nat(all.length - 1), fc.integer({ min: 1, max: 6 }), fc.constantFrom('', ' ', '9'))
      .map(
        ([at, n, more]) =>
          all
            .slice(at, at + n)
            .join(' ')
            .replaceAll('___', 'Unknown') + more,
      );
    const list = fc.array(stretch, { maxLength: 8 });
    const text = foldWords(statements.map((s) => s.text).join(' '));
    const own = (s: Statement): boolean =>
      text.includes(foldWords(s.text)) && s.note_start_n! < s.note_end_n!;
    fc.assert(
      fc.property(list, list, list, (history_of_present_illness, physical_exam, allergies) => {
        const taken = take({ history_of_present_illness, physical_exam, allergies });
        const n = history_of_present_illness.length + physical_exam.length + allergies.length;
        expect(taken.statements.length + taken.findings.length).toBe(n);
        expect(taken.statements.every(own)).toBe(true);
      }),
      { numRuns: 150, seed: 12 },
    );
  });
});
