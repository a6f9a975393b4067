/** The default build on the real rules: what the issue of a release rests on, and keys checked without the engine. */
import { beforeAll, describe, expect, it } from 'vitest';
import { expectedAnswer } from '../../pipelines/medpic/judge.js';
import type { Item, OpenRelease } from '../../pipelines/medpic/open.js';
import { NONE_OF_THE_ABOVE } from '../../schemas/medpic.js';
import type { Patient } from '../../schemas/patient.js';
import { PATIENT_INFORMATION_TYPES, type Rule } from '../../schemas/rule.js';
import { uniformity } from '../../stages/lib/chi-square.js';
import type { OpenBench } from '../../stages/lib/rules/bench.js';
import { contradiction } from '../../stages/lib/rules/contradiction.js';
import {
  benchOf,
  differences,
  isNear,
  itemsOf,
  leaves,
  numbersOf,
  type PosedItem,
  pairsOf,
  pose,
  realTables,
  tally,
} from './pose-questions.fixture.js';
import { isActive } from './pose-questions.oracle.js';

let items: PosedItem[];
let bench: OpenBench;
let rules: Rule[];
let counts: Readonly<Record<string, number>>;
let rejects: readonly Readonly<Record<string, unknown>>[];

beforeAll(async () => {
  const tables = await realTables();
  const run = await pose(tables);
  items = await itemsOf(run);
  counts = run.result.counts;
  rejects = await run.table('item_rejects');
  bench = await benchOf(tables);
  rules = [...bench.rules.values()];
}, 300_000);

const of = (config: string): PosedItem[] => items.filter((i) => i.config === config);
const pairsIn = (config: string): PosedItem[][] => pairsOf(of(config));
const drugs = (i: PosedItem) => i.options.filter((o) => o.kind === 'drug');
const isKey = (i: PosedItem, letter: string): boolean => i.letters.includes(letter);
const isNone = (i: PosedItem): boolean => isKey(i, i.row.none_letter!);
/** Fails with the first few that are wrong. */
const expectNone = (wrong: readonly string[]): void =>
  expect(wrong.slice(0, 5), `${wrong.length}`).toEqual([]);

describe('how many', () => {
  it('300 guideline items, 150 pairs, 40 items of every other sort', () => {
    expect(of('gf').length).toBeGreaterThanOrEqual(300);
    expect(pairsIn('cf').length).toBeGreaterThanOrEqual(150);
    for (const config of ['irrelevant', 'two_fact', 'sweep', 'switch'])
      expect(of(config).length, config).toBeGreaterThanOrEqual(40);
    for (const config of new Set(items.map((i) => i.config)))
      expect(counts[`items.${config}`]).toBe(of(config).length);
  });

  it('pairs of every type, no source and no type above its share, two of a rule at most', () => {
    const pairs = pairsIn('cf').map(([first]) => first!.row);
    const types = tally(pairs.map((r) => r.taxonomy_patient_info_type!));
    const sources = tally(pairs.map((r) => r.source_id!));
    for (const type of PATIENT_INFORMATION_TYPES) {
      const least = type === 'pediatric-adult contrast' ? 4 : 8;
      expect(types[type] ?? 0, type).toBeGreaterThanOrEqual(least);
      expect(types[type]! / pairs.length, type).toBeLessThanOrEqual(0.35);
    }
    for (const [source, n] of Object.entries(sources))
      expect(n / pairs.length, source).toBeLessThanOrEqual(0.45);
    expect(Math.max(...Object.values(tally(pairs.map((r) => r.rule_id!))))).toBeLessThanOrEqual(2);
  });

  it('a rule that made nothing is told with a reason', () => {
    const asked = rules.filter(
      (r) => r.is_usable && r.action.polarity === 'restrict' && r.action.object !== 'act',
    );
    const told = new Set([...items.map((i) => i.row.rule_id!), ...rejects.map((r) => String(r.rule_id))]);
    expectNone(asked.map((r) => r.rule_id).filter((id) => !told.has(id)));
  });
});

describe('cues', () => {
  const sizes = (): number[] => [...new Set(items.map((i) => i.options.length))];

  it('right options and None stand on every letter alike', () => {
    for (const n of sizes()) {
      const same = items.filter((i) => i.options.length === n);
      const once = [...same.filter((i) => i.pair === null), ...pairsOf(same).map(([first]) => first!)];
      for (const letters of [same.flatMap((i) => i.letters), once.map((i) => i.row.none_letter!)]) {
        const found = tally(letters);
        const cells = Array.from({ length: n }, (_, k) => found[String.fromCharCode(65 + k)] ?? 0);
        expect(uniformity(cells).p_value, `${n} options`).toBeGreaterThan(0.05);
      }
    }
  });

  it('None stands alike where it is right and where it is not', () => {
    for (const is_right of [true, false]) {
      for (const n of [5, 6]) {
        const found = tally(
          items
            .filter((i) => i.options.length === n && isNone(i) === is_right)
            .map((i) => i.row.none_letter!),
        );
        const cells = Array.from({ length: n }, (_, k) => found[String.fromCharCode(65 + k)] ?? 0);
        expect(uniformity(cells).p_value, `${n} options, ${is_right}`).toBeGreaterThan(0.001);
      }
    }
  });

  it('the longest option is right as often as chance says, within five points', () => {
    let [hits, chance] = [0, 0];
    for (const i of items) {
      const most = Math.max(...Object.values(i.shown).map((t) => t.length));
      const longest = Object.keys(i.shown).filter((l) => i.shown[l]!.length === most);
      hits += longest.filter((l) => isKey(i, l)).length / longest.length;
      chance += i.letters.length / i.options.length;
    }
    expect(Math.abs(hits - chance) / items.length).toBeLessThan(0.05);
  });
});

describe('keys, without the engine', () => {
  const barring = (): Rule[] =>
    rules.filter((r) => ['restrict', 'change'].includes(r.action.polarity) && r.action.object !== 'act');

  it('every right drug has an active restrict rule of the named source', () => {
    const wrong = items
      .filter((i) => ['avoidance', 'interaction'].includes(i.row.decision_type!))
      .flatMap((i) =>
        drugs(i)
          .filter((o) => isKey(i, o.letter))
          .filter(
            (o) =>
              !barring().some(
                (r) =>
                  r.is_usable &&
                  r.source_id === i.row.source_id &&
                  r.action.polarity === 'restrict' &&
                  isActive(r, i.patient, o.use!),
              ),
          )
          .map((o) => `${i.id} ${i.config} ${i.row.rule_id} ${o.text}`),
      );
    expectNone(wrong);
  });

  it('no other drug has an active restrict or change rule of any source', () => {
    const wrong = items
      .filter((i) => ['avoidance', 'interaction'].includes(i.row.decision_type!))
      .flatMap((i) =>
        drugs(i)
          .filter((o) => !isKey(i, o.letter))
          .flatMap((o) =>
            barring()
              .filter((r) => isActive(r, i.patient, o.use!))
              .map((r) => `${i.id} ${i.row.rule_id} ${o.text}: ${r.rule_id}`),
          ),
      );
    expectNone(wrong);
  });

  it('of a selection, right drugs have no such rule and all others a restrict rule of the source', () => {
    const selection = items.filter((i) => i.row.decision_type === 'selection');
    expect(selection.length).toBeGreaterThan(20);
    const wrong = selection.flatMap((i) =>
      drugs(i)
        .filter((o) => {
          const active = barring().filter((r) => isActive(r, i.patient, o.use!));
          const is_restricted = active.some(
            (r) => r.action.polarity === 'restrict' && r.source_id === i.row.source_id,
          );
          return isKey(i, o.letter) ? active.length > 0 : !is_restricted;
        })
        .map((o) => `${i.id} ${i.row.rule_id} ${o.text}`),
    );
    expectNone(wrong);
  });

  it('of a dose question exactly one handling follows, and the number lies a tenth from every edge', () => {
    const dose = items.filter((i) => i.row.decision_type === 'dose');
    expect(dose.length).toBeGreaterThan(20);
    const wrong = dose.flatMap((i) => {
      const handlings = i.options.filter((o) => o.kind === 'handling');
      const own = rules.filter((r) => r.source_id === i.row.source_id && r.action.polarity !== 'watch');
      const { use } = handlings[0]!;
      const active = own.filter((r) => r.action.polarity !== 'neutral' && isActive(r, i.patient, use!));
      const following = handlings.filter((o) =>
        o.handling_of === null
          ? active.length === 0
          : isActive(bench.rules.get(o.handling_of)!, i.patient, o.use!),
      );
      const problems: string[] = [];
      if (i.letters.length !== 1) problems.push('not one key');
      if (following.map((o) => o.letter).join() !== i.letters.join())
        problems.push(`follows: ${following.map((o) => o.letter)}, key: ${i.letters}`);
      const bands = handlings.flatMap((o) => (o.handling_of ? [bench.rules.get(o.handling_of)!] : []));
      for (const b of bands.flatMap((r) => numbersOf(r.when)))
        if (isNear(i.patient, b)) problems.push(`${b.measure} near ${b.bounds.low}..${b.bounds.high}`);
      return problems.map((p) => `${i.id} ${i.row.rule_id}: ${p}`);
    });
    expectNone(wrong);
  });
});

describe('values', () => {
  it('keep a tenth, a week, a year from the edges of the rule, but in series near an edge', () => {
    const wrong = items
      .filter((i) => i.config !== 'sweep' && i.row.decision_type !== 'dose')
      .flatMap((i) => {
        const rule = bench.rules.get(i.row.rule_id!)!;
        const all = [rule.population, rule.when, ...rule.unless.map((u) => u.when)].flatMap(leaves);
        const { age, gestation_weeks: weeks } = i.patient;
        return all
          .filter((c) => {
            if (c.type === 'measure') return isNear(i.patient, c);
            const edges = 'bounds' in c ? [c.bounds.low, c.bounds.high] : [];
            if (c.type === 'gestation')
              return weeks !== null && edges.some((e) => e !== null && Math.abs(weeks - e) < 1);
            if (c.type === 'age' && c.kind === 'chronological' && age?.unit === 'a' && c.bounds.unit === 'a')
              return edges.some((e) => e !== null && Math.abs(age.value - e) < 1);
            return false;
          })
          .map(
            (c) => `${i.id} ${i.config} ${rule.rule_id} ${JSON.stringify(c)} ${JSON.stringify(i.patient)}`,
          );
      });
    expectNone(wrong);
  });

  it('are people: age and sex known, weeks with a pregnant woman only, both kidney numbers close', () => {
    const wrong = items.flatMap(({ id, patient: p }) => {
      const years = p.age?.unit === 'a' ? p.age.value : 0;
      const is_pregnant = p.gestation_weeks !== null || p.facts.pregnant === true;
      const problems: string[] = [];
      const contrary = contradiction(p, bench.book.knowledge.concepts);
      if (contrary) problems.push(contrary);
      if (p.age === null || p.sex === null) problems.push('no age or sex');
      if (is_pregnant && (p.sex !== 'female' || years < 12 || years > 50)) problems.push('pregnant');
      if (p.gestation_weeks !== null && p.facts.pregnant === false) problems.push('weeks without pregnancy');
      if (p.facts.partner_pregnant && p.sex !== 'male') problems.push('partner');
      const { CrCl, eGFR } = p.measures;
      if (CrCl && eGFR && Math.abs(CrCl.value - eGFR.value) > 15) problems.push('kidney');
      return problems.map((w) => `${id}: ${w} ${JSON.stringify(p)}`);
    });
    expectNone(wrong);
  });
});

describe('pairs', () => {
  it('share question and options; the answer changes with one fact', () => {
    const wrong = pairsIn('cf').flatMap(([a, b, ...more]) => {
      const differing = differences(a!, b!);
      const problems: string[] = [];
      if (more.length > 0) problems.push('more than two');
      if (a!.question !== b!.question || JSON.stringify(a!.shown) !== JSON.stringify(b!.shown))
        problems.push('another question');
      if (a!.letters.join() === b!.letters.join()) problems.push('same answer');
      if (differing.length !== 1) problems.push(`differ in ${differing.join(', ') || 'nothing'}`);
      if (a!.changed.length !== 1) problems.push(`told: ${JSON.stringify(a!.changed)}`);
      return problems.map((p) => `${a!.id} ${a!.row.rule_id}: ${p}`);
    });
    expectNone(wrong);
  });

  it('a change that does not matter leaves every drug as it was', () => {
    const wrong = pairsIn('irrelevant').filter(
      ([a, b]) => a!.letters.join() !== b!.letters.join() || differences(a!, b!).length !== 1 || isNone(a!),
    );
    expectNone(wrong.map(([a, b]) => `${a!.id} ${a!.row.rule_id} ${differences(a!, b!)}`));
  });

  it('of two facts, each alone answers otherwise than both', () => {
    const wrong = pairsIn('two_fact').filter((members) => {
      const odd = members.find((m) =>
        members.filter((o) => o !== m).every((o) => differences(m, o).length === 1),
      );
      const others = members.filter((m) => m !== odd);
      return (
        members.length !== 3 ||
        odd === undefined ||
        others[0]!.letters.join() !== others[1]!.letters.join() ||
        odd.letters.join() === others[0]!.letters.join() ||
        differences(others[0]!, others[1]!).length !== 2
      );
    });
    expectNone(wrong.map((m) => `${m[0]!.id} ${m[0]!.row.rule_id} ${m.map((x) => x.letters)}`));
  });

  it('a series changes its answer once, never stands on the edge, and changes one number only', () => {
    const wrong = pairsIn('sweep').flatMap((members) => {
      const fields = new Set(members.flatMap((a) => members.flatMap((b) => differences(a, b))));
      const number = (m: PosedItem): number =>
        fields.has('pregnancy')
          ? m.patient.gestation_weeks!
          : m.patient.measures[[...fields][0]!.replace('measure ', '') as 'CrCl']!.value;
      const sorted = members.toSorted((a, b) => number(a) - number(b));
      const turns = sorted.filter((m, i) => i > 0 && m.letters.join() !== sorted[i - 1]!.letters.join());
      const rule = bench.rules.get(members[0]!.row.rule_id!)!;
      const edges = leaves(rule.when).flatMap((c) =>
        c.type === 'measure' || c.type === 'gestation' ? [c.bounds.low, c.bounds.high] : [],
      );
      const problems: string[] = [];
      if (fields.size !== 1) problems.push([...fields].join());
      if (turns.length !== 1) problems.push(`${turns.length} turns`);
      if (members.length < 3) problems.push(`${members.length} steps`);
      if (members.some((m) => edges.includes(number(m)))) problems.push('on the edge');
      return problems.map((p) => `${members[0]!.id} ${rule.rule_id}: ${p} (${sorted.map(number)})`);
    });
    expectNone(wrong);
  });

  it('a switch goes from one set to another, neither empty', () => {
    const wrong = pairsIn('switch').filter(
      ([a, b]) => isNone(a!) || isNone(b!) || a!.letters.join() === b!.letters.join(),
    );
    expectNone(wrong.map(([a]) => `${a!.id} ${a!.row.rule_id}`));
  });
});

describe('verify', () => {
  const asRelease = (): OpenRelease => ({ bench, rules: bench.rules }) as unknown as OpenRelease;
  const asItem = (i: PosedItem, patient: Patient): Item =>
    ({ answer: i.row, letters: i.letters, options: i.options, patient }) as unknown as Item;
  const isNoticed = (i: PosedItem, patient: Patient): boolean => {
    const { letters, problems } = expectedAnswer(asRelease(), asItem(i, patient));
    return problems.length > 0 || letters.join() !== i.letters.join();
  };

  it('finds every answer again', () => {
    expectNone(items.filter((i) => isNoticed(i, i.patient)).map((i) => `${i.id} ${i.row.rule_id}`));
  });

  it('notices the facts of the other member of a pair', () => {
    const patients = pairsIn('cf').filter(([a]) => !a!.changed[0]!.field.startsWith('/uses/'));
    expect(patients.length).toBeGreaterThan(100);
    expectNone(patients.filter(([a, b]) => !isNoticed(a!, b!.patient)).map(([a]) => a!.id));
  });

  it('notices a distractor that a changed fact makes active', () => {
    let tried = 0;
    const missed: string[] = [];
    for (const i of of('gf').filter((x) => x.row.decision_type === 'avoidance')) {
      for (const o of drugs(i).filter((x) => !isKey(i, x.letter))) {
        const facts = rules
          .filter((r) => r.action.polarity === 'restrict' && r.action.object === 'drug')
          .flatMap((r) => leaves(r.when).flatMap((c) => (c.type === 'fact' ? [{ r, f: c.concept }] : [])));
        const woken = facts.find(({ r, f }) =>
          isActive(r, { ...i.patient, facts: { ...i.patient.facts, [f]: true } }, o.use!),
        );
        if (!woken) continue;
        const patient = { ...i.patient, facts: { ...i.patient.facts, [woken.f]: true } };
        if (contradiction(patient, bench.book.knowledge.concepts) !== null) continue;
        tried += 1;
        if (!isNoticed(i, patient)) missed.push(`${i.id} ${o.text} ${woken.f}`);
      }
    }
    expect(tried).toBeGreaterThan(50);
    expectNone(missed);
  });
});

describe('rows', () => {
  it('options are lettered from A, None once, texts different', () => {
    const wrong = items.filter((i) => {
      const letters = Object.keys(i.shown).sort();
      const texts = Object.values(i.shown);
      return (
        letters.some((l, k) => l !== String.fromCharCode(65 + k)) ||
        new Set(texts.map((t) => t.toLowerCase())).size !== texts.length ||
        i.shown[i.row.none_letter!] !== NONE_OF_THE_ABOVE ||
        texts.filter((t) => t === NONE_OF_THE_ABOVE).length !== 1 ||
        (isNone(i) && i.letters.length > 1)
      );
    });
    expectNone(wrong.map((i) => i.id));
  });

  it('no option is a drug that the patient takes already', () => {
    const wrong = items.filter((i) =>
      drugs(i).some((o) => i.patient.medications.some((m) => m.drug === o.use!.drug)),
    );
    expectNone(wrong.map((i) => i.id));
  });
});
