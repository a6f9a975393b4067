/** Names, routes and doses of orders as they are folded for comparison. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { doseKey, foldDrug, parseDose, routeClass } from '../../stages/lib/drug-fold.js';

describe('words of orders', () => {
  it.each([
    ['OxycoDONE (Immediate Release) ', 'oxycodone'],
    ['Metoprolol  Tartrate', 'metoprolol'],
    ['Metoprolol Succinate XL', 'metoprolol xl'],
    ['Hydrocortisone Na Succ.', 'hydrocortisone'],
    ['*NF* Ertapenem Sodium', 'ertapenem'],
    ['Potassium Chloride (Powder)', 'potassium chloride'],
    ['Potassium Phosphate', 'potassium phosphate'],
    ['Calcium Gluconate', 'calcium gluconate'],
    ['Sodium Chloride 0.9%  Flush', 'sodium chloride 0.9% flush'],
    ['Isosorbide Mononitrate (Extended Release)', 'isosorbide mononitrate'],
    ['(unknown)', '(unknown)'],
  ])('%s folds to %s', (name, fold) => expect(foldDrug(name)).toBe(fold));

  it('a fold is its own fold, and case and blanks never matter', () => {
    const word = fc.constantFrom('Sodium', 'chloride', 'Heparin', 'HCl', '(Brand)', '5%', 'Metoprolol', '-');
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
        const fold = foldDrug(words.join(' '));
        expect(foldDrug(fold)).toBe(fold);
        expect(foldDrug(` ${words.join('   ').toUpperCase()} `)).toBe(fold);
      }),
    );
  });

  it.each([
    ['1-2', 1, 2],
    ['0.5-1', 0.5, 1],
    ['25,000', 25000, 25000],
    ['2000-8000', 2000, 8000],
    ['.5', 0.5, 0.5],
    ['1,5', null, null],
    ['8-4', null, null],
    ['MD to order', null, null],
  ])('the dose %s is read as %s to %s', (text, low, high) =>
    expect(parseDose(text, 'mg')).toEqual({ dose_low: low, dose_high: high, dose_text: `${text} mg` }),
  );

  it('doses of one mass have one key', () => {
    expect(doseKey('1', 'g')).toBe(doseKey('1,000', 'mg'));
    expect(doseKey('1', 'gm')).toBe(doseKey('1000', 'mg'));
    expect(doseKey('62.5', 'mcg')).toBe(doseKey('0.0625', 'mg'));
    expect(doseKey('1', 'TAB')).not.toBe(doseKey('1', 'mg'));
    expect(routeClass('po/ng')).toBe(routeClass('ORAL'));
    expect(routeClass(' subcut ')).toBe('SC');
    expect(routeClass('')).toBeNull();
  });
});
