/** Drug identity: every listed pair, every name of the sources, classes in three values. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DrugClasses } from '../../stages/lib/drug-classes.js';
import { DrugIndex, type ResolvedDrug } from '../../stages/lib/drugs.js';
import { parseMemberList, splitOutside } from '../../stages/lib/member-list.js';
import { drugClasses, drugIndex, guidelineRows } from '../support/guidelines.js';

const drugs = drugIndex();
const classes = drugClasses(drugs);
const names = guidelineRows('drug-names');

function resolved(name: string): ResolvedDrug {
  const found = drugs.resolve(name);
  if ('reason' in found) throw new Error(`${name}: ${found.reason}`);
  return found;
}

describe('names', () => {
  it('has 970 pairs of 759 ingredients and combinations, and each synonym gives its ingredient', () => {
    expect(names).toHaveLength(970);
    expect(drugs.ingredients()).toHaveLength(759);
    for (const n of names) {
      expect([n.synonym, resolved(n.synonym!)], n.synonym!).toMatchObject([
        n.synonym,
        { ingredient: n.ingredient },
      ]);
      expect(resolved(n.synonym!).atc_code).toBe(n.atc_code);
    }
  });

  it.each([
    ['pethidine', 'meperidine'],
    ['FRUSEMIDE (Furosemide)', 'furosemide'],
    ['  Amoxycillin ', 'amoxicillin'],
    ['co-trimoxazole', 'sulfamethoxazole-trimethoprim'],
    ['trimethoprim with sulfamethoxazole', 'sulfamethoxazole-trimethoprim'],
    ['trimethoprim / sulphamethoxazole', 'sulfamethoxazole-trimethoprim'],
    ['trimethoprim+sulfamethoxazole', 'sulfamethoxazole-trimethoprim'],
    ['Diphenoxylate and atropine', 'diphenoxylate-atropine'],
    ['valsartan/ sacubitril', 'sacubitril-valsartan'],
    ['paracetamol-codeine', 'acetaminophen-codeine'],
    ['digoxin and other cardiac glycosides', 'digoxin'],
    ['sodium valproate (valproic acid)', 'valproate'],
    ['glyburide (glibenclamide)', 'glyburide'],
    ['l-hyoscyamine', 'hyoscyamine'],
    [
      'rubella virus vaccine live / mumps virus vaccine live / measles virus vaccine live',
      'measles-mumps-rubella vaccine',
    ],
  ])('%s is %s', (name, ingredient) => {
    expect(resolved(name)).toMatchObject({ ingredient, qualifier: null });
  });

  it.each([
    ['doxepin (over 6 mg/day)', 'doxepin', 'over 6 mg/day'],
    ['estradiol (vaginal)', 'estradiol', 'vaginal'],
    ['oestradiol (vaginal)', 'estradiol', 'vaginal'],
    ['lidocaine (oral topical, mouthwash)', 'lidocaine', 'oral topical, mouthwash'],
    ['atropine (excludes ophthalmic)', 'atropine', 'excludes ophthalmic'],
    [
      'chlordiazepoxide (alone or with amitriptyline or clidinium)',
      'chlordiazepoxide',
      'alone or with amitriptyline or clidinium',
    ],
    ['warfarin (starting)', 'warfarin', 'starting'],
    ['paracetamol / codeine (oral)', 'acetaminophen-codeine', 'oral'],
  ])('%s keeps its limit', (name, ingredient, qualifier) => {
    expect(resolved(name)).toMatchObject({ ingredient, qualifier });
  });

  it('knows the parts of combinations', () => {
    expect(resolved('clidinium-chlordiazepoxide').parts).toEqual(['chlordiazepoxide', 'clidinium']);
    expect(resolved('codeine').parts).toEqual(['codeine']);
    for (const ingredient of drugs.ingredients())
      for (const part of drugs.get(ingredient).parts) expect(drugs.get(part).parts).toEqual([part]);
  });

  it('says why a name is nothing', () => {
    expect(drugs.resolve('warfarine')).toMatchObject({
      reason: 'unknown_name',
      expected: /perhaps warfarin/ as never,
    });
    expect(drugs.resolve('others')).toMatchObject({ reason: 'open_list' });
    expect(drugs.resolve(' ')).toMatchObject({ reason: 'empty_name' });
    expect(drugs.resolve('warfarin / nosuchdrug')).toMatchObject({
      reason: 'unknown_part',
      got: 'nosuchdrug',
    });
    expect(drugs.resolve('warfarin with codeine')).toMatchObject({
      reason: 'unlisted_combination',
      expected: 'a row for codeine + warfarin',
    });
  });

  it('does not take a combination for one with another ester', () => {
    expect(resolved('tenofovir disoproxil fumarate / emtricitabine').ingredient).toBe(
      'emtricitabine-tenofovir disoproxil',
    );
    for (const name of ['emtricitabine / tenofovir alafenamide', 'emtricitabine / tenofovir'])
      expect(drugs.resolve(name)).toMatchObject({ reason: 'unlisted_combination' });
  });

  it('refuses tables in which a name is ambiguous', () => {
    const row = (ingredient: string, synonym: string, more: object = {}) => ({
      ingredient,
      synonym,
      kind: 'INN',
      atc_code: null,
      combination_of: null,
      ...more,
    });
    expect(() => new DrugIndex([row('a', 'x'), row('b', 'X ')])).toThrow(/"X " stands for a and for b/);
    const codes = [row('a', 'a', { atc_code: 'A01AA01' }), row('a', 'x', { atc_code: 'A01AA02' })];
    expect(() => new DrugIndex(codes)).toThrow(/rows of a differ/);
    const twins = [
      row('ab', 'ab', { combination_of: 'a + b' }),
      row('ba', 'ba', { combination_of: 'b + a' }),
    ];
    expect(() => new DrugIndex(twins)).toThrow(/same parts/);
    expect(() => drugs.get('warfarine')).toThrow(/did you mean warfarin\?/);
  });

  it('does not care about case, blanks or the order of parts', () => {
    const all = names.map((n) => n.synonym!);
    fc.assert(
      fc.property(fc.constantFrom(...all), fc.array(fc.boolean()), fc.nat(3), (name, flips, pad) => {
        const odd = [...name]
          .map((c, i) => (flips[i % Math.max(1, flips.length)] ? c.toUpperCase() : c))
          .join('');
        const blank = ' '.repeat(pad);
        expect(resolved(blank + odd.replaceAll(' ', ` ${blank}`) + blank).ingredient).toBe(
          resolved(name).ingredient,
        );
      }),
    );
    // The ester of its name is not among its parts.
    const named = 'emtricitabine-tenofovir disoproxil';
    const combinations = drugs.ingredients().filter((i) => i !== named && drugs.get(i).parts.length > 1);
    expect(combinations.length).toBeGreaterThan(20);
    for (const c of combinations)
      for (const join of [' / ', '/', ' with ', ' + '])
        expect(resolved([...drugs.get(c).parts].reverse().join(join)).ingredient).toBe(c);
  });
});

/** Reads every drug cell of a source and counts what came out. */
function readSource(name: string, columns: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  const add = (what: string, n: number): void => {
    if (n > 0) counts[what] = (counts[what] ?? 0) + n;
  };
  for (const row of guidelineRows(name)) {
    for (const column of columns) {
      const list = parseMemberList(row[column] ?? '', drugs, classes);
      const items = [...list.items, ...list.minus];
      add('drug', items.filter((i) => i.kind === 'drug').length);
      add('class', items.filter((i) => i.kind === 'class').length);
      add('open', list.is_open ? 1 : 0);
      add('problem', list.problems.length);
    }
  }
  return counts;
}

describe('the drug cells of the sources', () => {
  it.each([
    ['beers2023', ['member_drugs', 'interacting_drug_or_class'], { drug: 332, class: 49, open: 1 }],
    ['kids2025', ['member_drugs'], { drug: 10 }],
    ['kids2020-superseded', ['member_drugs'], { drug: 23 }],
    ['fda-labels', ['member_drugs'], { drug: 158, class: 7 }],
    ['fda-labels-unchecked', ['member_drugs'], { drug: 30 }],
    ['tga-pregnancy', ['medicine_as_listed'], { drug: 227 }],
  ])('of %s all resolve', (name, columns, counts) => {
    expect(readSource(name, columns)).toEqual(counts);
  });

  it('keep the qualifier that the TGA row has in a column of its own', () => {
    for (const row of guidelineRows('tga-pregnancy')) {
      const { qualifier } = resolved(row.medicine_as_listed!);
      expect([row.row_id, qualifier?.toLowerCase() ?? null]).toEqual([row.row_id, row.listing_qualifier]);
    }
  });
});

describe('member lists', () => {
  it('reads classes with carve-outs', () => {
    const list = parseMemberList(
      'class: antipsychotics; minus: clozapine, pimavanserin, quetiapine',
      drugs,
      classes,
    );
    expect(list).toMatchObject({
      is_open: false,
      problems: [],
      items: [{ kind: 'class', keys: ['antipsychotics'] }],
    });
    expect(list.minus.map((m) => m.text)).toEqual(['clozapine', 'pimavanserin', 'quetiapine']);
    const second = parseMemberList(
      'class: strongly anticholinergic drugs; minus: antimuscarinics for urinary incontinence',
      drugs,
      classes,
    );
    expect(second.minus).toMatchObject([{ kind: 'class', keys: ['bladder_antimuscarinics'] }]);
  });

  it('keeps commas and semicolons in brackets', () => {
    const text = 'class: antidepressants (TCAs, SSRIs, SNRIs);lidocaine (oral topical, mouthwash)';
    const list = parseMemberList(text, drugs, classes);
    expect(list.items.map((i) => i.text)).toEqual(text.split(';'));
    expect(splitOutside('a (b; c); d', ';')).toEqual(['a (b; c)', 'd']);
  });

  it('says that a list goes on, and what it did not understand', () => {
    const list = parseMemberList('quetiapine;others;class: wonder drugs;quetiapin;Systemic', drugs, classes);
    expect(list.is_open).toBe(true);
    expect(list.items).toHaveLength(1);
    expect(list.problems.map((p) => [p.text, p.reason])).toEqual([
      ['class: wonder drugs', 'unknown_class_word'],
      ['quetiapin', 'unknown_name'],
      ['Systemic', 'heading_only'],
    ]);
  });

  it('loses no piece of any list', () => {
    const piece = fc.constantFrom(
      'codeine',
      'class: opioids',
      'others',
      'nothing known',
      'doxepin (over 6 mg/day)',
      'NSAIDs',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const list = parseMemberList(pieces.join(';'), drugs, classes);
        const opens = pieces.filter((p) => p === 'others').length;
        expect(list.items.length + list.problems.length + opens).toBe(pieces.length);
        expect(list.is_open).toBe(opens > 0);
      }),
    );
  });
});

describe('classes', () => {
  it('has 134 classes and reads every class word', () => {
    expect(classes.keys()).toHaveLength(134);
    for (const w of guidelineRows('class-words')) {
      expect(classes.keysOfWord(w.word!)).toEqual(w.kind === 'class' ? w.class_key!.split(';') : null);
      expect(classes.isHeading(w.word!)).toBe(w.kind !== 'class');
    }
  });

  it('tells listed and inferred members apart', () => {
    const { members } = classes.get('strong_anticholinergics');
    expect(members.find((m) => m.ingredient === 'oxybutynin')).toMatchObject({ is_listed: true });
    expect(classes.get('opioids').members.every((m) => !m.is_listed)).toBe(true);
  });

  it.each([
    ['lisinopril', 'ace_inhibitors', 'yes'],
    ['warfarin', 'ace_inhibitors', 'no'],
    // The list is partial, and an effect on a transporter is of no ATC group: what is not in it may belong to it.
    ['warfarin', 'pgp_inhibitors', 'unknown'],
    ['codeine', 'opioids', 'yes'],
    ['acetaminophen-codeine', 'opioids', 'yes'],
    ['sacubitril-valsartan', 'arbs', 'yes'],
    ['hydrochlorothiazide-triamterene', 'ace_inhibitors', 'no'],
    // A member with a dose or route of its own: the name alone does not decide.
    ['doxepin', 'strong_anticholinergics', 'unknown'],
    ['aspirin', 'nsaids', 'unknown'],
    ['estradiol', 'estrogens_vaginal', 'unknown'],
  ] as const)('%s in %s: %s', (drug, key, membership) => {
    expect(classes.verdict(drug, key).membership).toBe(membership);
  });

  it('expands and subtracts: the carve-out is the class that the table lists for it', () => {
    const pairs = [
      ['antipsychotics', ['clozapine', 'pimavanserin', 'quetiapine'], 'antipsychotics_minus_pd'],
      ['strong_anticholinergics', ['bladder_antimuscarinics'], 'strong_anticholinergics_minus_bladder'],
      ['macrolides', ['azithromycin'], 'macrolides_minus_azithromycin'],
    ] as const;
    for (const [key, minus, same] of pairs) {
      const carved = classes.expand([key], minus).members.map((m) => m.ingredient);
      expect(carved).toEqual(classes.expand([same]).members.map((m) => m.ingredient));
    }
  });

  it('counts a drug of two classes once, and is complete only when all classes are', () => {
    const both = classes.expand(['benzodiazepines', 'antiepileptics']);
    expect(both.coverage).toBe('partial');
    expect(both.members.filter((m) => m.ingredient === 'clonazepam')).toHaveLength(1);
    expect(classes.expand(['ssris', 'snris']).coverage).toBe('complete');
  });

  it('never says no for a partial class without ATC groups', () => {
    const ungrouped = drugClasses(drugs, null);
    fc.assert(
      fc.property(
        fc.constantFrom(...drugs.ingredients()),
        fc.constantFrom(...classes.keys()),
        (drug, key) => {
          const { membership, member } = classes.verdict(drug, key);
          const without = ungrouped.verdict(drug, key).membership;
          if (without === 'no') expect(classes.get(key).coverage).toBe('complete');
          if (membership === 'yes') expect(member).not.toBeNull();
          const parts = drugs.get(drug).parts.map((p) => classes.verdict(p, key).membership);
          if (parts.includes('yes')) expect(membership).toBe('yes');
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('refuses members that are two drugs, two coverages of one class, and unknown keys', () => {
    const member = (m: string, name: string, coverage = 'complete') => ({
      class_key: 'k',
      class_name: 'K',
      member: m,
      member_rxnorm_style_name: name,
      basis: 'pharmacology',
      coverage,
    });
    expect(() => new DrugClasses(drugs, [member('codeine', 'morphine')], [])).toThrow(
      /codeine is not morphine/,
    );
    const two = [member('codeine', 'codeine'), member('morphine', 'morphine', 'partial')];
    expect(() => new DrugClasses(drugs, two, [])).toThrow(/two coverages/);
    const word = { word: 'X', kind: 'class', class_key: 'opioid' };
    expect(() => new DrugClasses(drugs, [member('codeine', 'codeine')], [word])).toThrow(
      /unknown class opioid/,
    );
    expect(() => classes.get('opioid')).toThrow(/did you mean opioids\?/);
  });
});
