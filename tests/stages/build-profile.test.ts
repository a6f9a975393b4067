/** build-profile: pieces, allergies, home medications, leaks; nothing of a forbidden section ever shows. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allergyPieces } from '../../stages/build-profile/allergies.js';
import { composeProfile } from '../../stages/build-profile/compose.js';
import { DRUG_WORDS_FILE, DrugWords, PLAIN_WORDS_FILE } from '../../stages/build-profile/drug-words.js';
import { medicationPieces, readMedication } from '../../stages/build-profile/home-medications.js';
import {
  LEAK_PHRASES_FILE,
  LeakCheck,
  type LeakSources,
  readPhrases,
} from '../../stages/build-profile/leaks.js';
import { ALLOWED, type NotePart, type NoteProfile, profileOfNote } from '../../stages/build-profile/note.js';
import { blocksOf, commaEntries, sentencesOf, wrapWidth } from '../../stages/build-profile/units.js';
import { cleanNote, foldWords, saysSomething } from '../../stages/lib/note-text.js';
import { splitNote } from '../../stages/split-notes/split.js';
import { NOTE, noteHeaders } from './notes.fixture.js';
import { madeNote, markOf } from './notes.generator.js';

const phrases = readPhrases(readFileSync(LEAK_PHRASES_FILE, 'utf8'));
const words = new DrugWords(readFileSync(DRUG_WORDS_FILE, 'utf8'), readFileSync(PLAIN_WORDS_FILE, 'utf8'));
const check = (sources: Partial<LeakSources> = {}): LeakCheck =>
  new LeakCheck({ phrases: [], drugs: new Map(), course: [], diagnoses: [], past: '', ...sources });

const partsOf = (text: string): NotePart[] =>
  splitNote(text, noteHeaders).map((p, i) => ({
    note_id: '1-DS-1',
    hadm_id: 2,
    section: p.section,
    part_n: i + 1,
    text: p.text,
    start_n: p.start,
  }));
const profile = (text: string, hpi: 'full' | 'strict' = 'full', against = check()): NoteProfile =>
  profileOfNote(partsOf(text), { hpi, check: against });
const texts = (p: NoteProfile, section: string): string[] =>
  p.statements.filter((s) => s.section === section).map((s) => s.text);

describe('pieces', () => {
  const unitsOf = (text: string): string[] =>
    blocksOf(text, wrapWidth([text]))
      .flatMap((b) => sentencesOf(text, b))
      .map((u) => cleanNote(text.slice(u.start, u.end)));

  it.each([
    [
      'sentences over wrapped lines',
      `${'word '.repeat(13)}\nends here. Then ${'next '.repeat(11)}\ngoes on.`,
      2,
    ],
    ['abbreviations and numbers', 'Seen by Dr. ___ at St. Mary for 2.5 h vs. 3 h before. Stable.', 2],
    ['numbered list', '1. COPD\n2. Gout\n3) Asthma', 3],
    ['dashed list with a wrapped entry', '- COPD on home\n  oxygen\n- Gout', 2],
    ['a sentence under a list', '- COPD\n- Gout\nShe smoked for years.', 3],
    ['short lines without marks', 'CAD\nHTN\nDM2', 3],
    ['decoration', '=====\nCAD\n-----\nHTN', 2],
    ['a number after No.', 'He had bed No. 3 there. No more.', 2],
    ['question and brackets', 'Was it a stroke? (She said no.) Perhaps.', 3],
  ])('%s', (_, text, n) => {
    expect(unitsOf(text)).toHaveLength(n);
  });

  it('a list in one line is cut, but not one that denies', () => {
    const cut = (text: string): string[] =>
      commaEntries(text, { start: 0, end: text.length, opens: true }).map((u) => text.slice(u.start, u.end));
    expect(cut('CAD, s/p CABG (LIMA, SVG), HTN and gout')).toEqual([
      'CAD',
      's/p CABG (LIMA, SVG)',
      'HTN and gout',
    ]);
    expect(cut('CAD, HTN, and gout')).toEqual(['CAD', 'HTN', 'gout']);
    expect(cut('no CAD, HTN, gout')).toHaveLength(1);
    expect(cut('CAD, HTN')).toHaveLength(1);
    expect(cut('potassium 1,500, 2,300')).toHaveLength(1);
  });
});

describe('allergies', () => {
  const names = (text: string): (string | null)[] => allergyPieces(text).map((p) => p.name);
  it.each([
    ['Penicillins', ['Penicillins']],
    ['Penicillins / codeine', ['Penicillins', 'codeine']],
    [
      'Penicillins / Sulfa (Sulfonamide Antibiotics) / Iodinated Contrast \nMedia - IV Dye',
      ['Penicillins', 'Sulfa (Sulfonamide Antibiotics)', 'Iodinated Contrast Media - IV Dye'],
    ],
    ['Sulfa (Sulfonamide / Sulfonylurea) / latex', ['Sulfa (Sulfonamide / Sulfonylurea)', 'latex']],
    ['amoxicillin/clavulanate, latex.', ['amoxicillin/clavulanate', 'latex']],
    ['Penicillins\nlatex', ['Penicillins', 'latex']],
    ['___ / latex', ['latex']],
    ['No Known Allergies / Adverse Drug Reactions', [null]],
    ['Patient recorded as having No Known Allergies to Drugs', [null]],
    ['NKDA', [null]],
    ['___', []],
    ['', []],
  ])('%s', (text, expected) => {
    expect(names(text)).toEqual(expected);
  });
});

describe('home medications', () => {
  it.each([
    ['Aspirin 81 mg PO DAILY', 'Aspirin', '81 mg', 'PO'],
    ['Metoprolol Succinate XL 50 mg PO DAILY', 'Metoprolol Succinate XL', '50 mg', 'PO'],
    ['Acetaminophen 325-650 mg PO Q6H:PRN pain', 'Acetaminophen', '325-650 mg', 'PO'],
    ['lisinopril 10mg po qd', 'lisinopril', '10mg', 'po'],
    ['Albuterol Inhaler 2 PUFF IH Q6H:PRN wheeze', 'Albuterol Inhaler', '2 PUFF', 'IH'],
    [
      'Fluticasone-Salmeterol Diskus (250/50) 1 INH IH BID',
      'Fluticasone-Salmeterol Diskus (250/50)',
      '1 INH',
      'IH',
    ],
    ['Vitamin D 1,000 UNIT PO DAILY', 'Vitamin D', '1,000 UNIT', 'PO'],
    ['insulin glargine 20 units at bedtime', 'insulin glargine', '20 units', null],
    ['Aspirin 81 mg Tablet Sig: One (1) Tablet PO once a day', 'Aspirin', '81 mg', 'PO'],
    ['furosemide', 'furosemide', null, null],
    ['furosemide daily', 'furosemide', null, null],
    ['MetFORMIN (Glucophage) Unknown mg PO BID', 'MetFORMIN (Glucophage)', null, 'PO'],
    ['Nitroglycerin SL 0.4 mg SL Q5MIN:PRN chest pain', 'Nitroglycerin SL', '0.4 mg', 'SL'],
    ['81 mg aspirin daily', 'aspirin', '81 mg', null],
    ['warfarin 5 mg by mouth every evening', 'warfarin', '5 mg', 'by mouth'],
  ])('%s', (entry, name, dose_text, route) => {
    expect(readMedication(entry)).toEqual({ name, dose_text, route });
  });

  it.each([
    'None',
    'No home medications',
    'Unable to obtain',
    'Unknown',
    'Information was obtained from the family',
    'Confirmed with the pharmacy:',
    'She could not name the drugs that she had been taking',
  ])('%s names no drug', (entry) => {
    expect(readMedication(entry)).toBeUndefined();
  });

  it('a list without marks is cut at commas and lines', () => {
    const text = 'aspirin 81 mg daily, lisinopril 10 mg daily\nfurosemide 1,000 mg';
    expect(medicationPieces(text, 80).map((p) => [p.name, p.dose_text])).toEqual([
      ['aspirin', '81 mg'],
      ['lisinopril', '10 mg'],
      ['furosemide', '1,000 mg'],
    ]);
  });
});

describe('leaks', () => {
  it.each(['was started on', 'during this hospitalization', 'on the day of discharge'])('%s', (phrase) => {
    expect(check({ phrases }).of(`She ${phrase.toUpperCase()}\n something.`)).toEqual({
      reason: 'course_phrase',
      word: phrase,
    });
  });

  it.each([
    ['Piperacillin-Tazobactam', 'He got Zosyn.', true],
    ['Piperacillin-Tazobactam', 'He got piperacillin - tazobactam.', true],
    ['MetFORMIN (Glucophage)', 'On Glucophage once.', true],
    ['Vancomycin Oral Liquid', 'Vancomycin helped.', true],
    ['Heparin Flush (10 units/ml)', 'A heparin drip.', true],
    ['Potassium Chloride', 'Potassium was 3.1.', false],
    ['Potassium Chloride', 'Took potassium chloride.', true],
    ['Influenza Vaccine Quadrivalent', 'Had influenza.', false],
    ['Aspirin EC', 'Bled on aspirin.', true],
    ['Insulin', 'Insulin-dependent.', true],
    ['Senna', 'Sennett syndrome.', false],
  ])('%s in "%s": %s', (drug, sentence, isLeak) => {
    const drugs = new Map(words.namesOf(drug).map((n) => [n, drug]));
    expect(check({ drugs }).of(sentence)?.reason).toBe(isLeak ? 'in_hospital_drug' : undefined);
  });

  it('repeated sentences and lines of the diagnosis, when they are long', () => {
    const course = ['She improved on\nthe fourth day.', 'Stable.'];
    const diagnoses = ['Community acquired pneumonia, right lower lobe', 'COPD'];
    const against = check({ course, diagnoses });
    const known = 'Community acquired pneumonia, right lower lobe, last year';
    expect(against.of('she improved on the fourth day')?.reason).toBe('course_sentence');
    expect(against.of('Has community acquired pneumonia right lower lobe now')?.reason).toBe(
      'discharge_diagnosis',
    );
    expect(check({ diagnoses, past: known }).of(known)).toBeUndefined();
    expect(against.of('Stable.')).toBeUndefined();
    expect(against.of('COPD')).toBeUndefined();
  });
});

describe('the profile of a note', () => {
  it('holds the allowed sections and nothing else', () => {
    const p = profile(NOTE);
    const all = p.statements.map((s) => s.text).join('\n');
    for (const forbidden of ['levofloxacin', '78 118/70', 'WBC', 'Dear', 'lower lobe', 'repeat film'])
      expect(all.toLowerCase()).not.toContain(forbidden.toLowerCase());
    expect(texts(p, 'past_medical_history')).toEqual([
      'COPD',
      'Atrial fibrillation on anticoagulation',
      'Type 2 diabetes mellitus, last HbA1c 7.4 %',
    ]);
    expect(texts(p, 'social_history')).toEqual([]);
    expect(p.masked_pieces_n).toBe(2);
  });

  it('strict ends the history at the emergency department', () => {
    const full = texts(profile(NOTE), 'history_of_present_illness');
    const strict = texts(profile(NOTE, 'strict'), 'history_of_present_illness');
    expect(strict).toEqual(full.filter((t) => !t.startsWith('In the ED')));
    expect(texts(profile(NOTE, 'strict'), 'review_of_systems')).toEqual([]);
  });

  it('a section of the history behind the hospital course is left out', () => {
    const p = profile(
      'HPI:\nShe fell.\n\nBrief Hospital Course:\nFine.\n\nPhysical Exam:\nWell now.\n\nMedications on Admission:\n1. Aspirin 81 mg PO DAILY\n',
    );
    expect(p.statements.map((s) => s.text)).toEqual(['She fell.', 'Aspirin 81 mg PO DAILY']);
    expect(p.late_parts_n).toBe(1);
  });

  it('nothing of a forbidden section shows, places give the text, no mask is left', () => {
    const allowed = Object.keys(ALLOWED);
    fc.assert(
      fc.property(madeNote, fc.constantFrom('full' as const, 'strict' as const), ({ text, parts }, hpi) => {
        const p = profile(text, hpi);
        const { sections, spans } = composeProfile(2, p.statements, 'parser');
        const all = sections.map((s) => s.text).join('\n');
        for (const { section } of parts)
          if (!allowed.includes(section)) expect(all).not.toContain(markOf(section));
        expect(all).not.toContain('___');
        for (const s of spans) {
          const own = sections.find((x) => x.section === s.section)!;
          expect(String(own.text).slice(Number(s.start_n), Number(s.end_n))).toBe(s.text);
          expect(cleanNote(text.slice(Number(s.note_start_n), Number(s.note_end_n)))).toBe(s.text);
        }
      }),
      { numRuns: 300, seed: 9 },
    );
  });

  it('every word of an allowed section that is no mask is in the profile, unless a rule took it out', () => {
    fc.assert(
      fc.property(madeNote, ({ text }) => {
        const parts = partsOf(text);
        const p = profileOfNote(parts, { hpi: 'full', check: check() });
        const shown = foldWords(p.statements.map((s) => s.text).join(' ')).split(' ');
        const stay = parts.findIndex((x) =>
          ['course', 'meds_discharge', 'diagnosis', 'condition', 'instructions'].includes(x.section),
        );
        parts.forEach((part, i) => {
          if (!ALLOWED[part.section] || (stay >= 0 && i > stay && part.section !== 'meds_admission')) return;
          if (saysSomething(part.text)) expect(shown).toContain(markOf(part.section));
        });
      }),
      { numRuns: 200, seed: 10 },
    );
  });
});
