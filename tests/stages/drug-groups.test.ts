/** ATC groups of drugs and open classes: what a partial class cannot hold, and what stays open. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DrugClasses } from '../../stages/lib/drug-classes.js';
import { DrugGroups, GROUP_FILES, readDrugGroups } from '../../stages/lib/drug-groups.js';
import { drugClasses, drugGroups, drugIndex } from '../support/guidelines.js';

const drugs = drugIndex();
const groups = drugGroups();
const classes = drugClasses(drugs, groups);
const ungrouped = drugClasses(drugs, null);
const partial = classes.keys().filter((key) => classes.get(key).coverage === 'partial');
const OPEN = [
  'cyp3a4_strong_inducers',
  'cyp3a4_strong_inhibitors',
  'pgp_and_cyp3a4_strong_inhibitors',
  'pgp_inhibitors',
];
const membership = (drug: string, key: string) => classes.verdict(drug, key).membership;

describe('groups of drugs', () => {
  it('are of single ingredients that drug-names.csv knows', () => {
    for (const i of groups.ingredients()) expect(drugs.get(i).parts).toEqual([i]);
    expect(groups.ingredients()).toHaveLength(725);
  });

  it('hold the ATC code wherever drug-names.csv gives one', () => {
    const coded = groups.ingredients().filter((i) => drugs.get(i).atc_code !== null);
    expect(coded.length).toBeGreaterThan(200);
    for (const i of coded) {
      const code = drugs.get(i).atc_code!;
      expect([i, code, groups.ofDrug(i)!.some((g) => code.startsWith(g))]).toEqual([i, code, true]);
    }
  });
});

describe('groups of classes', () => {
  it('stand for every partial class and for no complete one; what acts on an enzyme has no bounds', () => {
    expect(groups.classKeys()).toEqual(partial);
    expect(partial.filter((key) => groups.ofClass(key) === null)).toEqual(OPEN);
  });

  it('hold at least one group of every listed member', () => {
    let n = 0;
    for (const key of partial.filter((k) => !OPEN.includes(k))) {
      for (const { ingredient } of classes.get(key).members) {
        const { parts } = drugs.get(ingredient);
        n += parts.filter((p) => groups.ofDrug(p) !== null).length;
        expect([key, ingredient, groups.areOutside(parts, key)]).toEqual([key, ingredient, false]);
      }
    }
    expect(n).toBeGreaterThan(500);
  });

  it('and the constructor refuses a class that shuts out its own member', () => {
    const row = { class_key: 'k', class_name: 'K', member: 'codeine', basis: 'pharmacology' };
    const members = [{ ...row, member_rxnorm_style_name: 'codeine', coverage: 'partial' }];
    const wrong = new DrugGroups(
      [{ ingredient: 'codeine', atc_groups: 'N02A;R05DA04' }],
      [{ class_key: 'k', atc_groups: 'C01', why: 'x' }],
    );
    expect(() => new DrugClasses(drugs, members, [], wrong)).toThrow(
      'class k: no ATC group of its member codeine is a group of it',
    );
  });
});

describe('membership', () => {
  it.each([
    ['amiodarone', 'opioids', 'no'],
    ['phenytoin', 'opioids', 'no'],
    ['warfarin', 'opioids', 'no'],
    ['tapentadol', 'opioids', 'yes'],
    ['gabapentin', 'cns_depressants', 'yes'],
    ['amoxicillin', 'cns_depressants', 'no'],
    ['acetaminophen', 'cns_depressants', 'no'],
    ['haloperidol', 'cns_depressants', 'unknown'],
    ['diphenhydramine', 'cns_depressants', 'unknown'],
    ['thalidomide', 'cns_depressants', 'unknown'],
    ['dextromethorphan', 'opioids', 'unknown'],
    ['loperamide', 'opioids', 'unknown'],
    ['lisinopril', 'diuretics', 'no'],
    ['sacubitril-valsartan', 'diuretics', 'no'],
    ['acetazolamide', 'diuretics', 'unknown'],
    ['acetazolamide', 'antiepileptics', 'unknown'],
    ['sertraline', 'antiepileptics', 'no'],
    ['phenytoin', 'antiarrhythmics', 'unknown'],
    ['trimethoprim', 'sulfonamides_antibacterial', 'no'],
    ['aspirin', 'anticoagulants', 'no'],
    ['aspirin', 'antiplatelets', 'yes'],
    // A combination is out only when every part is.
    ['acetaminophen-codeine', 'diuretics', 'no'],
    ['dextromethorphan-quinidine', 'opioids', 'unknown'],
    ['dextromethorphan-quinidine', 'diuretics', 'no'],
    // The groups of samidorphan and glycerin are not known.
    ['olanzapine-samidorphan', 'diuretics', 'unknown'],
    ['glycerin', 'opioids', 'unknown'],
    ['amiodarone', 'pgp_inhibitors', 'yes'],
    ['amoxicillin', 'pgp_inhibitors', 'unknown'],
    ['amoxicillin', 'cyp3a4_strong_inhibitors', 'unknown'],
    // A limit of form stays undecided whatever the groups are.
    ['doxepin', 'strong_anticholinergics', 'unknown'],
  ] as const)('%s in %s: %s', (drug, key, expected) => {
    expect(membership(drug, key)).toBe(expected);
  });

  // Complete classes all of whose members are of a wider, partial one by what the words mean.
  it.each([
    ['benzodiazepines', ['cns_depressants', 'cns_active_drugs']],
    ['z_drugs', ['cns_depressants', 'cns_active_drugs']],
    ['antipsychotics', ['cns_depressants', 'cns_active_drugs', 'dopamine_antagonists']],
    ['skeletal_muscle_relaxants', ['cns_depressants', 'cns_active_drugs']],
    ['gabapentinoids', ['cns_depressants', 'antiepileptics']],
    ['antiepileptics_siadh', ['antiepileptics']],
    ['tcas', ['antidepressants', 'cns_active_drugs']],
    ['ssris', ['antidepressants', 'cns_active_drugs']],
    ['snris', ['antidepressants', 'cns_active_drugs']],
    ['antidepressants_siadh', ['antidepressants']],
    ['loop_diuretics', ['diuretics']],
    ['thiazide_diuretics', ['diuretics']],
    ['potassium_sparing_diuretics', ['diuretics']],
    ['carbonic_anhydrase_inhibitors', ['diuretics']],
    ['doacs', ['anticoagulants']],
    ['vitamin_k_antagonists', ['anticoagulants']],
    ['p2y12_inhibitors', ['antiplatelets']],
    ['insulins_short_rapid', ['insulins']],
    ['sulfonylureas', ['hypoglycaemic_agents']],
    ['sglt2_inhibitors', ['hypoglycaemic_agents']],
    ['dpp4_inhibitors', ['hypoglycaemic_agents']],
    ['thiazolidinediones', ['hypoglycaemic_agents']],
    ['statins', ['lipid_lowering_agents']],
    ['antiarrhythmics_ia', ['antiarrhythmics']],
    ['antiarrhythmics_ic', ['antiarrhythmics']],
    ['antiarrhythmics_iii', ['antiarrhythmics']],
    ['bisphosphonates', ['bone_agents']],
    ['tnf_blockers', ['immunomodifiers']],
    ['estrogens_vaginal', ['estrogens_systemic']],
    ['androgens', ['anabolic_steroids']],
  ])('no member of %s is outside %j', (narrow, wide) => {
    for (const { ingredient } of classes.get(narrow).members)
      for (const key of wide) expect([ingredient, key, membership(ingredient, key)]).not.toContain('no');
  });

  it('groups only turn unknown into no, and only for partial classes with bounds', () => {
    const changed = new Set<string>();
    for (const key of classes.keys()) {
      for (const drug of drugs.ingredients()) {
        const [before, after] = [ungrouped.verdict(drug, key), classes.verdict(drug, key)];
        if (before.membership === after.membership) continue;
        changed.add(key);
        expect([before.membership, before.member, after.membership]).toEqual(['unknown', null, 'no']);
      }
    }
    expect([...changed].sort()).toEqual(partial.filter((k) => !OPEN.includes(k)));
  });

  it('a drug whose given ATC code lies in the bounds of a class is never outside', () => {
    for (const drug of drugs.ingredients()) {
      const { atc_code } = drugs.get(drug);
      for (const key of partial) {
        const isIn = groups.ofClass(key)?.some((g) => atc_code?.startsWith(g));
        if (isIn) expect([drug, key, membership(drug, key)]).not.toContain('no');
      }
    }
  });

  it('knowing less of a group never proves more', () => {
    const rows = (n: number) =>
      groups.ingredients().map((ingredient) => {
        const cut = groups.ofDrug(ingredient)!.map((g) => g.slice(0, n));
        return { ingredient, atc_groups: [...new Set(cut)].join(';') };
      });
    const bounds = groups.classKeys().map((class_key) => {
      return { class_key, atc_groups: (groups.ofClass(class_key) ?? []).join(';'), why: 'x' };
    });
    const levels = [1, 3, 4, 5, 7].map((n) => new DrugGroups(rows(n), bounds));
    fc.assert(
      fc.property(
        fc.constantFrom(...groups.ingredients()),
        fc.constantFrom(...partial),
        fc.integer({ min: 0, max: 3 }),
        (drug, key, level) => {
          if (levels[level]!.areOutside([drug], key))
            expect(levels[level + 1]!.areOutside([drug], key)).toBe(true);
        },
      ),
      { numRuns: 3000 },
    );
  });
});

describe('damaged tables', () => {
  const drug = (atc_groups: string, ingredient = 'a') => ({ ingredient, atc_groups });
  const cls = (atc_groups: string, why = 'x') => ({ class_key: 'k', atc_groups, why });

  it.each([
    ['N2A', 'N2A'],
    ['n02a', 'n02a'],
    ['N02A;', ''],
    ['N02A; R05D', ' R05D'],
    ['N02AX6', 'N02AX6'],
    ['opioids', 'opioids'],
  ])('group "%s" is refused', (cell, odd) => {
    const words = `"${odd}" is no ATC group; expected a letter, N02, N02A, N02AX or N02AX06`;
    expect(() => new DrugGroups([drug(cell)], [])).toThrow(`drug-groups.csv, a: ${words}`);
    expect(() => new DrugGroups([], [cls(cell)])).toThrow(`class-groups.csv, k: ${words}`);
  });

  it('a name twice, a drug without groups, a class without reason, another table', () => {
    expect(() => new DrugGroups([drug('N'), drug('C')], [])).toThrow('drug-groups.csv: a stands twice');
    expect(() => new DrugGroups([drug('')], [])).toThrow('a has no group; leave it out');
    expect(() => new DrugGroups([], [cls('', '')])).toThrow('k does not say why');
    expect(() => new DrugGroups([{ drug: 'a' }], [])).toThrow(
      'expected the columns ingredient and atc_groups',
    );
    const text = 'ingredient,atc_groups\na,N\nb\n';
    expect(() => readDrugGroups(() => text)).toThrow('line 3');
  });

  it('an unbounded class and an unknown drug are never outside', () => {
    const g = new DrugGroups([drug('N02A')], [cls('')]);
    expect(g.areOutside(['a'], 'k')).toBe(false);
    expect(g.areOutside(['a'], 'other')).toBe(false);
    const bounded = new DrugGroups([drug('N02A')], [cls('C')]);
    expect(bounded.areOutside(['a'], 'k')).toBe(true);
    expect(bounded.areOutside(['a', 'b'], 'k')).toBe(false);
    expect(bounded.areOutside([], 'k')).toBe(false);
  });

  it('the files are those that a stage declares', () => {
    const asked: string[] = [];
    const header = (file: string) => (file.includes('drug-') ? 'ingredient' : 'class_key');
    readDrugGroups((file) => {
      asked.push(file);
      return `${header(file)},atc_groups,why\n`;
    });
    expect(asked).toEqual(GROUP_FILES);
  });
});
