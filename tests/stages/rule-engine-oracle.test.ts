/**
 * The engine against a two-valued evaluator of its own, over whole worlds: a verdict of true or false must be what every
 * world says that the patient may live in.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Patient, Use } from '../../schemas/patient.js';
import { evaluate } from '../../stages/lib/rules/evaluate.js';
import { knowledge, patient, use } from './rule-engine.support.js';
import { condition, FACTS, holds, TAKEN, WORLDS, type World } from './rule-engine.worlds.js';

/** What a vignette says of a world. */
const told = fc.record({
  age: fc.boolean(),
  sex: fc.boolean(),
  weeks: fc.boolean(),
  crcl: fc.boolean(),
  form: fc.boolean(),
  dose: fc.boolean(),
  facts: fc.subarray(Object.keys(FACTS)),
  taken: fc.subarray(TAKEN),
  is_closed: fc.boolean(),
  only: fc.boolean(),
});
type Told = typeof told extends fc.Arbitrary<infer T> ? T : never;

/** Illnesses of a world that are not told, where "no other illness" is told: such a world would make it a lie. */
function isHonest(w: World, t: Told, of: World): boolean {
  if (!t.is_closed) return true;
  const said = (f: string) => t.facts.includes(f) && FACTS[f]!(of);
  const heart = w.heart === 'none' || Object.keys(FACTS).some((f) => f.startsWith('heart') && said(f));
  // A clearance under 90 that is told suggests an impairment, so that "no other illness" does not speak of it.
  return heart && (!w.renal || t.crcl || said('renal_impairment'));
}

/** Is the world one that fits what is told of another? */
function fits(w: World, t: Told, of: World): boolean {
  return (
    (!t.age || w.age === of.age) &&
    (!t.sex || w.sex === of.sex) &&
    (!t.weeks || of.weeks === null || w.weeks === of.weeks) &&
    (!t.crcl || w.crcl === of.crcl) &&
    (!t.form || w.form === of.form) &&
    (!t.dose || w.dose === of.dose) &&
    t.facts.every((f) => FACTS[f]!(w) === FACTS[f]!(of)) &&
    (t.only
      ? w.taken.length === of.taken.length && of.taken.every((d) => w.taken.includes(d))
      : t.taken.every((d) => !of.taken.includes(d) || w.taken.includes(d))) &&
    isHonest(w, t, of)
  );
}

function asPatient(w: World, t: Told): { patient: Patient; candidate: Use } {
  const taken = t.only ? w.taken : w.taken.filter((d) => t.taken.includes(d));
  return {
    patient: patient({
      age: t.age ? { value: w.age, unit: 'a' } : null,
      sex: t.sex ? w.sex : null,
      gestation_weeks: t.weeks ? w.weeks : null,
      measures: t.crcl ? { CrCl: { value: w.crcl, unit: 'mL/min' } } : {},
      facts: Object.fromEntries(t.facts.map((f) => [f, FACTS[f]!(w)])),
      medications: taken.map((d) => use(d)),
      closed: [...(t.is_closed ? ['conditions'] : []), ...(t.only ? ['medications'] : [])],
    }),
    candidate: use('tramadol', {
      form: t.form ? w.form : null,
      dose: t.dose ? { value: w.dose, unit: 'mg/d' } : null,
    }),
  };
}

describe('verdicts against whole worlds', () => {
  it('true and false are what every world says that fits', () => {
    let decided = 0;
    let open = 0;
    fc.assert(
      fc.property(condition, fc.constantFrom(...WORLDS), told, (c, of, t) => {
        fc.pre(isHonest(of, t, of));
        const { truth } = evaluate(c, asPatient(of, t), knowledge);
        const ways = new Set(WORLDS.filter((w) => fits(w, t, of)).map((w) => holds(c, w)));
        expect(ways.size).toBeGreaterThan(0);
        if (truth === 'unknown') open += 1;
        else {
          decided += 1;
          expect([...ways]).toEqual([truth === 'true']);
        }
      }),
      { numRuns: 1500 },
    );
    // Neither answer may be rare, or the comparison says little.
    expect(decided).toBeGreaterThan(200);
    expect(open).toBeGreaterThan(200);
  });

  it('a world told whole leaves nothing unknown', () => {
    const whole: Told = {
      ...{
        age: true,
        sex: true,
        weeks: true,
        crcl: true,
        form: true,
        dose: true,
        is_closed: false,
        only: true,
      },
      facts: Object.keys(FACTS),
      taken: TAKEN,
    };
    fc.assert(
      fc.property(condition, fc.constantFrom(...WORLDS), (c, w) => {
        expect(evaluate(c, asPatient(w, whole), knowledge).truth).toBe(String(holds(c, w)));
      }),
      { numRuns: 1500 },
    );
  });
});
