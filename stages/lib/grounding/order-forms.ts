/** Drugs, doses and routes that were ordered in the extract: what nobody orders is no realistic option. */
import type { Sql } from '../../contract.js';
import { foldDrug, routeClass } from '../drug-fold.js';
import { type Formulary, foldDose, hasDose, type Prescription } from './formulary.js';

export class OrderForms {
  readonly #drugs = new Set<string>();
  readonly #forms = new Set<string>();

  constructor(orders: Iterable<{ drug_fold: string; dose_text: string | null; route_class: string | null }>) {
    for (const o of orders) {
      this.#drugs.add(o.drug_fold);
      this.#forms.add(formKey(o.drug_fold, o.dose_text, o.route_class));
    }
  }

  /** Was a drug of the name ever ordered, or is it in the formulary? */
  isDrug(drug: string, formulary: Formulary): boolean {
    return formulary.named(drug).length > 0 || this.#drugs.has(foldDrug(drug));
  }

  /** Is the dose with the route one that was ordered or that the formulary has? */
  isForm(p: Prescription, formulary: Formulary): boolean {
    const route = routeClass(p.route);
    if (this.#forms.has(formKey(foldDrug(p.drug), p.dose_text, route))) return true;
    return formulary
      .named(p.drug)
      .some(
        (m) =>
          m.routes.includes(route ?? '') &&
          (p.dose_text === null ? m.doses.length === 0 : hasDose(m, p.dose_text)),
      );
  }
}

const formKey = (fold: string, dose: string | null, route: string | null): string =>
  [fold, dose === null ? '' : foldDose(dose), route ?? ''].join('|');

/** Forms of the table `orders`. */
export async function readOrderForms(sql: Sql): Promise<OrderForms> {
  return new OrderForms(
    await sql.rows('select distinct drug_fold, dose_text, route_class from orders order by all'),
  );
}
