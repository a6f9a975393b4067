/** What is written is read back; what is changed in the text is noticed. */
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Patient, Use } from '../../schemas/patient.js';
import { checkVignette, type VignetteProblem } from '../../stages/lib/read-vignette/check.js';
import { readVignette } from '../../stages/lib/read-vignette/read.js';
import { cases, knowledge, write } from './read-vignette.support.js';

const check = (text: string, patient: Patient, uses: readonly Use[] = []): VignetteProblem[] =>
  checkVignette(text, patient, uses, knowledge);
const problems = (text: string, patient: Patient, uses: readonly Use[] = []): string[] =>
  check(text, patient, uses).map((p) => `${p.kind} ${p.fact}`);
const without = (text: string, sentence: string): string =>
  text.replace(sentence, '').replace(/\s+/g, ' ').trim();

describe('random patients', () => {
  it('are read back as they were written', () => {
    fc.assert(
      fc.property(cases, (w) => {
        expect(check(write(w).text, w.patient, w.uses)).toEqual([]);
      }),
      { numRuns: 1500 },
    );
  });

  it('are missed sentence by sentence', () => {
    fc.assert(
      fc.property(cases, (w) => {
        const { text, facts } = write(w);
        for (const { fact, sentence } of facts) {
          const found = check(without(text, sentence), w.patient, w.uses);
          expect(found, `${fact}: ${sentence}`).toContainEqual(
            expect.objectContaining({ kind: 'missing', fact }),
          );
        }
      }),
      { numRuns: 300 },
    );
  });

  it('have a sentence in the record for whatever the text says of them', () => {
    fc.assert(
      fc.property(cases, (w) => {
        const { text, facts } = write(w);
        const reading = readVignette(
          text,
          w.uses.map((u) => u.drug),
          knowledge,
        );
        const recorded = new Set(facts.map((f) => `${f.fact} ${f.sentence}`));
        const silent = reading.facts.filter(
          (f) => !recorded.has(`${f.fact} ${f.sentence}`) && !/^uses\/.*\/(route|form|phase)$/.test(f.fact),
        );
        expect(silent).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('every concept', () => {
  const told = [...knowledge.concepts.all()].filter((c) => c.concept !== 'neonate');
  const about = (concept: string, value: boolean, seed: number) => {
    const needsPregnancy = knowledge.concepts.isA(concept, 'pregnant') && concept !== 'pregnant';
    const facts = { ...(needsPregnancy ? { pregnant: true } : {}), [concept]: value };
    const isMan = concept === 'partner_pregnant';
    const patient = Patient.parse({
      age: { value: 40, unit: 'a' },
      sex: isMan ? 'male' : 'female',
      facts,
      setting: concept === 'hospice_care' ? (value ? 'hospice' : 'home') : null,
    });
    const member = { patient, uses: [] };
    return write({ ...member, seed, profile: 'adult', decision_type: 'avoidance', members: [member] });
  };

  for (const value of [true, false]) {
    it(`is read ${value} from each of its wordings`, () => {
      for (const { concept } of told) {
        const sentences = new Set<string>();
        for (let seed = 0; seed < 12; seed++) {
          const { text, facts } = about(concept, value, seed);
          const read = readVignette(text, [], knowledge);
          expect(read.unread, concept).toEqual([]);
          const said = read.facts.find((f) => f.fact === `facts/${concept}`);
          if (concept === 'hospice_care' && value) continue;
          expect(said?.value, `${concept}: ${text}`).toBe(value);
          sentences.add(facts.find((f) => f.fact === `facts/${concept}`)!.sentence);
        }
        expect(sentences.size, concept).toBeGreaterThan(concept === 'hospice_care' && value ? -1 : 0);
      }
    });
  }

  it('is denied in other words than it is stated', () => {
    for (const { concept } of told) {
      for (let seed = 0; seed < 4; seed++)
        expect(about(concept, true, seed).text, concept).not.toBe(about(concept, false, seed).text);
    }
  });
});

describe('a changed text', () => {
  const patient = Patient.parse({
    age: { value: 71, unit: 'a' },
    sex: 'female',
    setting: 'clinic',
    facts: { heart_failure: true, epilepsy: false, renal_impairment: false },
    measures: { CrCl: { value: 45, unit: 'mL/min' }, QTc: { value: 480, unit: 'ms' } },
    medications: [Use.parse({ drug: 'digoxin' })],
    stopped: [{ drug: 'acitretin', ago: { value: 1.5, unit: 'a' } }],
    closed: ['conditions', 'medications', 'allergies'],
  });
  const uses = [
    Use.parse({ drug: 'warfarin', facets: { phase: 'starting', indication: 'venous_thromboembolism' } }),
    Use.parse({ drug: 'latanoprost', facets: { phase: 'starting' } }),
    Use.parse({ drug: 'nystatin', facets: { phase: 'starting' } }),
  ];
  const text = [
    'A 71-year-old woman comes to the outpatient clinic to discuss treatment.',
    'She has heart failure.',
    'She does not have epilepsy.',
    'Her kidney function is normal.',
    'Her estimated creatinine clearance is 45 mL/min.',
    'The ECG shows a QTc interval of 480 ms.',
    'She has no other medical conditions.',
    'Her last dose of acitretin was 18 months ago.',
    'She takes digoxin and no other medicine.',
    'She has no known drug allergies.',
    'Warfarin would be started for venous thromboembolism.',
    'If it were needed, latanoprost would be given for glaucoma (eye drops).',
    'Should the need arise, nystatin would be used for oral thrush.',
  ].join(' ');

  it('is one that was right before', () => {
    expect(check(text, patient, uses)).toEqual([]);
  });

  const changes: [what: string, from: string, to: string, expected: string[]][] = [
    ['a number', '71-year', '72-year', ['contradicted age']],
    ['a unit of age', '71-year', '71-month', ['contradicted age']],
    ['a digit', '45 mL', '450 mL', ['contradicted measures/CrCl']],
    ['a decimal', '45 mL', '4.5 mL', ['contradicted measures/CrCl']],
    ['a unit', '45 mL/min.', '45 mL/min/1.73 m2.', ['contradicted measures/CrCl']],
    ['a unit of another kind', '45 mL/min.', '45 kg.', ['contradicted measures/CrCl']],
    ['the measure', 'a QTc', 'a QT', ['extra measures/QT', 'missing measures/QTc']],
    [
      'a yes',
      'She has heart failure',
      'She does not have heart failure',
      ['contradicted facts/heart_failure'],
    ],
    ['a no', 'She does not have epilepsy', 'She has epilepsy', ['contradicted facts/epilepsy']],
    [
      'a no into doubt',
      'does not have epilepsy',
      'may have epilepsy',
      ['unread sentence', 'missing facts/epilepsy'],
    ],
    [
      'an illness',
      'She has heart failure',
      'She has gout',
      ['extra facts/gout', 'missing facts/heart_failure'],
    ],
    [
      'the degree',
      'She has heart failure.',
      'She has severe heart failure.',
      ['extra facts/heart_failure_severe_or_decompensated', 'missing facts/heart_failure'],
    ],
    ['the sex', '-old woman', '-old man', ['contradicted sex']],
    ['a pronoun', 'She takes', 'He takes', ['contradicted sex']],
    ['the place', 'outpatient clinic', 'emergency department', ['contradicted setting']],
    [
      'the place into two',
      'comes to the outpatient clinic',
      'who lives at home comes to the outpatient clinic',
      ['unread sentence', 'missing age', 'missing sex', 'missing setting'],
    ],
    [
      'a drug taken',
      'takes digoxin',
      'takes warfarin',
      ['extra medications/warfarin', 'missing medications/digoxin'],
    ],
    ['one drug more', 'takes digoxin and', 'takes digoxin, aspirin and', ['extra medications/aspirin']],
    [
      'that there is no other drug',
      'She takes digoxin and no other medicine',
      'She takes digoxin',
      ['missing closed/medications'],
    ],
    ['a time', '18 months', '18 weeks', ['contradicted stopped/acitretin']],
    [
      'an indication',
      'for venous thromboembolism',
      'for atrial fibrillation',
      ['contradicted uses/warfarin/indication'],
    ],
    [
      'a start',
      'Warfarin would be started',
      'She already takes warfarin',
      ['contradicted uses/warfarin/phase'],
    ],
    [
      'what a drug is for',
      'glaucoma (eye drops)',
      'heartburn',
      ['contradicted uses/latanoprost/typical_use'],
    ],
    ['a route', 'latanoprost would', 'oral latanoprost would', ['extra uses/latanoprost/route']],
    [
      'a plan with a dose',
      'would be started for',
      'would be started at 5 mg a day for',
      ['extra uses/warfarin/dose'],
    ],
  ];
  for (const [what, from, to, expected] of changes) {
    it(`is noticed: ${what}`, () => {
      expect(text).toContain(from);
      expect(problems(text.replace(from, to), patient, uses)).toEqual(expect.arrayContaining(expected));
    });
  }

  it('is noticed: two drugs change places', () => {
    const swapped = text
      .replace('latanoprost', '#')
      .replace('nystatin', 'latanoprost')
      .replace('#', 'nystatin');
    expect(problems(swapped, patient, uses)).toEqual([
      'contradicted uses/nystatin/typical_use',
      'contradicted uses/latanoprost/typical_use',
    ]);
  });

  const added: [sentence: string, expected: string][] = [
    ['She also has asthma.', 'extra facts/asthma'],
    ['She has heart failure.', 'repeated facts/heart_failure'],
    ['She weighs 70 kg.', 'extra measures/weight'],
    ['She takes aspirin.', 'extra medications/aspirin'],
    ['She is 12 weeks pregnant.', 'extra facts/pregnant'],
    ['Her mother is 12 weeks pregnant.', 'unread sentence'],
    ['She has chronic kidney disease stage 4.', 'extra ckd_stage'],
    ['She has chronic kidney disease stage 6.', 'unread sentence'],
    ['Aspirin would be started.', 'unread sentence'],
    ['All is well.', 'unread sentence'],
  ];
  for (const [sentence, expected] of added) {
    it(`is noticed: "${sentence}" is added`, () => {
      expect(problems(`${text} ${sentence}`, patient, uses)).toContain(expected);
    });
  }

  it('is noticed whatever sentence is negated', () => {
    for (const sentence of text.split(/(?<=\.) /)) {
      const negated = sentence
        .replace(/ is /, ' is not ')
        .replace(/ has (?!no)/, ' does not have ')
        .replace(/ would be /, ' would not be ')
        .replace(/ shows /, ' does not show ')
        .replace(/ was /, ' was not ')
        .replace(/ takes /, ' does not take ')
        .replace(/ comes /, ' does not come ');
      if (negated === sentence) continue;
      expect(problems(text.replace(sentence, negated), patient, uses), negated).not.toEqual([]);
    }
  });
});

describe('the reader', () => {
  it('imports nothing from the stage that writes', () => {
    const dir = 'stages/lib/read-vignette';
    const files = readdirSync(dir).filter((f) => f.endsWith('.ts'));
    expect(files.length).toBeGreaterThan(5);
    for (const f of files) expect(readFileSync(`${dir}/${f}`, 'utf8')).not.toMatch(/from '.*pose-questions/);
  });

  it('refuses a table that gives one sentence to two facts', () => {
    const words = new Map(knowledge.words);
    words.set('gout', { says_true: '{She} is frail.', says_false: '' });
    expect(() => readVignette('She is frail.', [], { ...knowledge, words })).toThrow(/says two things/);
  });

  it('reads a newborn and hospice care from age and place, and only from these', () => {
    const p = Patient.parse({
      age: { value: 9, unit: 'd' },
      sex: 'male',
      setting: 'clinic',
      facts: { neonate: true, hospice_care: false },
    });
    expect(problems('A 9-day-old boy is seen in the pediatric outpatient clinic.', p)).toEqual([]);
    expect(problems('A 9-day-old boy is seen.', p)).toContain('missing facts/hospice_care');
    expect(problems('A 9-month-old boy is seen in the pediatric outpatient clinic.', p)).toContain(
      'missing facts/neonate',
    );
  });
});
