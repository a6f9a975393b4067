/** Predicates in words, for explanations. */
import type { DrugRef, Predicate } from '../../../schemas/condition.js';
import { wordBounds } from './bounds.js';

/** A drug reference in words. */
export function wordRef(r: DrugRef): string {
  const limits = [r.form?.replace('_', ' '), r.routes?.join(' or '), r.dose && wordBounds(r.dose)];
  const said = limits.filter((l) => l !== null && l !== undefined);
  const minus = r.minus.length > 0 ? ` without ${r.minus.join(', ')}` : '';
  return `${r.name}${minus}${said.length > 0 ? ` (${said.join('; ')})` : ''}`;
}

/** A predicate in words. */
export function wordPredicate(p: Predicate): string {
  switch (p.type) {
    case 'age':
      return `${p.kind === 'postmenstrual' ? 'postmenstrual age' : 'age'} ${wordBounds(p.bounds)}`;
    case 'gestation':
    case 'dose':
      return `${p.type} ${wordBounds(p.bounds)}`;
    case 'sex':
      return p.sex;
    case 'measure':
      return `${p.measure} ${wordBounds(p.bounds)}`;
    case 'ckd_stage':
      return `CKD stage ${p.at_least} or higher`;
    case 'fact':
      return p.concept;
    case 'co_medication':
      return `together with ${p.at_least > 1 ? `${p.at_least} of ` : ''}${p.drugs.map(wordRef).join(' or ')}`;
    case 'drug_count':
      return `at least ${p.at_least} drugs of ${p.drugs.map(wordRef).join(', ')}`;
    case 'since_last_dose':
      return `last dose of ${p.drugs.map(wordRef).join(' or ')} ${wordBounds(p.bounds)} ago`;
    case 'use':
      return `${p.facet} ${p.value}`;
    case 'duration':
      return `use for ${wordBounds(p.bounds)}`;
    case 'route':
      return `route ${p.any_of.join(' or ')}`;
    case 'form':
      return p.form;
  }
}
