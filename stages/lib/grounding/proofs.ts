/**
 * Proofs that a drug is wrong for a patient now. A proof rests on an absolute contraindication that holds on the record, on
 * every use of the drug being ruled out by latest values, on a medication-safety rule, or on a running order. What the
 * record leaves open proves nothing.
 */
import type { Cite, Claim, Proof } from '../../../schemas/rxeval.js';
import { citeWhole } from '../clinical/judged.js';
import { judgeRow } from '../clinical/rules.js';
import type { ClinicalState } from '../clinical/state.js';
import type { ClinicalTables } from '../clinical/tables.js';
import type { Term } from '../rule-terms.js';
import type { Contraindication, WrongTables } from './contraindications.js';
import type { Formulary, Medicine, Prescription } from './formulary.js';
import { type ConceptLink, guidelineName, patientOf, type RecordedPatient, useOf } from './rule-patient.js';
import { askRules, type RuleAnswer, type RuleBook, unique } from './rule-proofs.js';

type Kind = Claim['kind'];

export interface ProofTables extends WrongTables {
  readonly clinical: ClinicalTables;
  /** Rows of indications.csv by drug_key. */
  readonly indications: ReadonlyMap<string, ClinicalTables['indications']>;
  readonly formulary: Formulary;
  /** Null where the pipeline has no rules. */
  readonly book: RuleBook | null;
  readonly links: readonly ConceptLink[];
}

/**
 * Why a claim is not proved. `wrong_mechanism`: nothing known of the drug has to do with the claim. `contradicted`: the
 * tables say yes and the rules no.
 */
export interface NotProved {
  readonly problem: 'wrong_mechanism' | 'unproven' | 'contradicted';
  readonly detail: string;
}
export type Proven = { readonly proof: Proof } | NotProved;

/** Kinds that the rule engine decides as well, where it has a rule. Of the others it proves what is forbidden outright. */
const RULED: readonly Kind[] = ['allergy', 'renal', 'pregnancy', 'interaction', 'duplicate_therapy'];

/** A use of the drug that holds. */
export interface Indicated {
  readonly rule_id: string;
  readonly cites: readonly Cite[];
}

/** A contraindication that holds, with its places. */
export interface Held {
  readonly row: Contraindication;
  readonly cites: readonly Cite[];
}

const keyOf = ({ drug, dose_text, route }: Prescription): string => [drug, dose_text, route].join('\u001f');

/** The value of a key, made once: authors and checks ask the same of one moment many times. */
function remembered<T>(known: Map<string, T>, key: string, make: () => T): T {
  if (!known.has(key)) known.set(key, make());
  return known.get(key)!;
}

/** Why every use is ruled out. */
interface RuledOut {
  readonly rule_ids: readonly string[];
  readonly cites: readonly Cite[];
}

/** Proofs about one moment. */
export class Prover {
  readonly state: ClinicalState;
  readonly tables: ProofTables;
  #patient: RecordedPatient | null = null;
  #families: ReadonlySet<string> | null = null;
  readonly #proven = new Map<string, Proven>();
  readonly #indicated = new Map<string, Indicated | null>();
  readonly #held = new Map<string, readonly Held[]>();

  constructor(state: ClinicalState, tables: ProofTables) {
    this.state = state;
    this.tables = tables;
  }

  /** Proves a claim about a drug, or says why not. */
  prove(p: Prescription, kind: Kind): Proven {
    return remembered(this.#proven, `${kind} ${keyOf(p)}`, () => this.#prove(p, kind));
  }

  #prove(p: Prescription, kind: Kind): Proven {
    if (kind === 'not_indicated') return this.#notIndicated(p);
    const own = kind === 'duplicate_therapy' ? this.#runsAlready(p) : this.#contraindicated(p, kind);
    const rules = this.#askRules(p, kind, own);
    if ('proof' in own && rules.is === 'false' && RULED.includes(kind))
      return { problem: 'contradicted', detail: `${kind}: ${rules.rule_ids.join(', ')} say no` };
    if (rules.is === 'true' && (RULED.includes(kind) || rules.isContraindicated))
      return { proof: withRule(kind, rules, own) };
    if ('proof' in own || own.problem !== 'wrong_mechanism') return own;
    return rules.is === 'silent'
      ? own
      : { problem: 'unproven', detail: `${kind}: rules leave it open or say no` };
  }

  /** A use of the drug, in any dose and route, that holds on the record: it would be a right answer. */
  indication(p: Prescription): Indicated | null {
    const ingredient = this.tables.formulary.ingredientOf(p.drug);
    return remembered(this.#indicated, ingredient, () => this.#findIndication(p));
  }

  #findIndication(p: Prescription): Indicated | null {
    for (const { drug_key } of this.#siblings(p)) {
      for (const row of this.#indications(drug_key)) {
        const needed = this.state.judgeAll([...row.trigger, ...row.condition]);
        // Unsafe or not: where the need is there, only something that forbids the drug makes it wrong.
        if (needed.truth === true || judgeRow(this.state, row).truth === true)
          return { rule_id: row.rule_id, cites: needed.cites };
      }
      for (const { condition, use } of this.tables.otherUses.get(drug_key) ?? []) {
        const all = this.state.judgeAll(condition);
        if (all.truth === true) return { rule_id: `other use: ${use}`, cites: all.cites };
      }
    }
    return null;
  }

  /** True when something forbids the drug outright. */
  isForbidden(p: Prescription, claims: readonly Kind[]): boolean {
    return claims.some((kind) => {
      if (kind === 'not_indicated' || kind === 'duplicate_therapy') return false;
      if ('proof' in this.#contraindicated(p, kind)) return true;
      const rules = this.#askRules(p, kind, { problem: 'unproven', detail: '' });
      return rules.is === 'true' && rules.isContraindicated;
    });
  }

  /**
   * Absolute contraindications of the drug that hold, with their places. A danger that a correct drug of the moment shares
   * does not count: a question must not call one fluid right and another wrong for the same lungs.
   */
  contraindications(p: Prescription): readonly Held[] {
    return remembered(this.#held, keyOf(p), () =>
      this.tables.formulary
        .of(p)
        .flatMap((m) => this.tables.contraindications.get(m.drug_key) ?? [])
        .filter((row) => row.strength === 'absolute' && !this.#answerFamilies().has(row.family))
        .map((row) => ({ row, judged: this.state.judgeAll(row.condition) }))
        .filter(({ judged }) => judged.truth === true && judged.cites.length > 0)
        .map(({ row, judged }) => ({ row, cites: unique(judged.cites) })),
    );
  }

  /** Families of dangers, of any strength, that hold for a correct drug of the moment. */
  #answerFamilies(): ReadonlySet<string> {
    this.#families ??= new Set(
      this.state.moment.answers
        .flatMap((o) => this.tables.formulary.of(o))
        .flatMap((m) => this.tables.contraindications.get(m.drug_key) ?? [])
        .filter((row) => this.state.judgeAll(row.condition).truth === true)
        .map((row) => row.family),
    );
    return this.#families;
  }

  #siblings(p: Prescription): readonly Medicine[] {
    const { formulary } = this.tables;
    return formulary.withIngredient(formulary.ingredientOf(p.drug));
  }

  #indications(drug_key: string): ClinicalTables['indications'] {
    return this.tables.indications.get(drug_key) ?? [];
  }

  #notIndicated(p: Prescription): Proven {
    const siblings = this.#siblings(p);
    const rows = siblings.flatMap((m) => this.#indications(m.drug_key));
    const known = this.tables.formulary.of(p).some((m) => this.#indications(m.drug_key).length > 0);
    if (!known) return { problem: 'unproven', detail: 'not_indicated: no use of the drug is written down' };
    const others = siblings.flatMap((m) => this.tables.otherUses.get(m.drug_key) ?? []);
    const ruledOut: RuledOut[] = [];
    for (const row of rows) {
      const cites = this.#ruledOut([...row.trigger, ...row.condition]);
      if (!cites) return { problem: 'unproven', detail: `not_indicated: ${row.rule_id} is not ruled out` };
      ruledOut.push({ rule_ids: [row.rule_id], cites });
    }
    for (const { condition, use } of others) {
      const cites = this.#ruledOut(condition);
      if (!cites) return { problem: 'unproven', detail: `not_indicated: ${use} is not ruled out` };
      ruledOut.push({ rule_ids: [], cites });
    }
    const cites = unique(ruledOut.flatMap((r) => r.cites));
    if (cites.length === 0)
      return { problem: 'unproven', detail: 'not_indicated: nothing on record to cite' };
    const rule_ids = [...new Set(ruledOut.flatMap((r) => r.rule_ids))].sort();
    return { proof: { claim: 'not_indicated', by: 'indications', rule_ids, rule_status: null, cites } };
  }

  /** Places that rule a use out: one of the things that make the drug needed is false. Null when none is. */
  #ruledOut(terms: readonly Term[]): readonly Cite[] | null {
    const no = terms.filter(isNeed).map((t) => ({ t, judged: this.state.judge(t) }));
    const failed = no.filter(({ judged }) => judged.truth === false);
    // A number says more than a silent history.
    const best = failed.find(({ t, judged }) => t.kind === 'compare' && judged.cites.length > 0) ?? failed[0];
    return best?.judged.cites ?? null;
  }

  #contraindicated(p: Prescription, kind: Kind): Proven {
    if (kind === 'allergy') {
      const named = this.#isAllergen(p);
      if (named) return { proof: named };
    }
    const rows = this.tables.formulary
      .of(p)
      .flatMap((m) => this.tables.contraindications.get(m.drug_key) ?? [])
      .filter((row) => row.kind === kind);
    if (rows.length === 0)
      return { problem: 'wrong_mechanism', detail: `${kind}: no such danger of this drug is known` };
    const held = this.contraindications(p).filter(({ row }) => row.kind === kind);
    const [first] = held;
    if (!first)
      return { problem: 'unproven', detail: `${kind}: no absolute contraindication holds on the record` };
    const { row, cites } = first;
    return {
      proof: {
        claim: kind,
        by: 'contraindication',
        rule_ids: [row.rule_id],
        rule_status: null,
        cites: [...cites],
      },
    };
  }

  /** The allergy list names the drug itself. */
  #isAllergen(p: Prescription): Proof | null {
    const { formulary } = this.tables;
    const ingredient = formulary.ingredientOf(p.drug);
    const span = this.state.moment.spans.find(
      (s) => s.kind === 'allergy' && s.name !== null && formulary.ingredientOf(s.name) === ingredient,
    );
    if (!span) return null;
    const cites = [citeWhole(span.span_id)];
    return { claim: 'allergy', by: 'contraindication', rule_ids: [ALLERGEN], rule_status: null, cites };
  }

  /** Another drug of the same group is running. */
  #runsAlready(p: Prescription): Proven {
    const { formulary } = this.tables;
    const [own] = formulary.of(p);
    if (!own?.duplicate_group)
      return {
        problem: 'wrong_mechanism',
        detail: 'duplicate_therapy: the drug is in no group that is never doubled',
      };
    const { moment } = this.state;
    const twin = moment.activeOrders.find((o) =>
      formulary
        .of(o)
        .some((m) => m.duplicate_group === own.duplicate_group && m.ingredient !== own.ingredient),
    );
    const event = twin && moment.events.find((e) => e.order_id === twin.order_id && e.is_shown);
    if (!event)
      return { problem: 'unproven', detail: 'duplicate_therapy: no drug of the group is seen to run' };
    const cites = [citeWhole(event.event_id)];
    return {
      proof: { claim: 'duplicate_therapy', by: 'active_order', rule_ids: [], rule_status: null, cites },
    };
  }

  #askRules(p: Prescription, kind: Kind, own: Proven): RuleAnswer {
    const { book, formulary } = this.tables;
    if (!book) return { is: 'silent' };
    const drug = guidelineName(p.drug, { formulary, index: book.index });
    if (!drug) return { is: 'silent' };
    this.#patient ??= patientOf(this.state, { formulary, index: book.index, links: this.tables.links });
    const partners = kind === 'interaction' && 'proof' in own ? this.#partners(own.proof) : undefined;
    const question = { use: useOf(drug, p.drug, p.route), kind };
    return askRules(book, this.#patient, partners ? { ...question, partners } : question);
  }

  /** Drugs of the guideline tables that a contraindication row speaks of. */
  #partners(proof: Proof): string[] {
    const rows = [...this.tables.contraindications.values()].flat();
    const terms = rows.filter((r) => proof.rule_ids.includes(r.rule_id)).flatMap((r) => r.condition);
    return terms.flatMap((t) => {
      if (t.kind !== 'has' || t.of !== 'drug') return [];
      return this.tables.formulary.get(t.key).guideline_drug ?? [];
    });
  }
}

/** Rule id of a proof by the allergy list alone. */
export const ALLERGEN = 'allergen';

/**
 * What makes a drug needed: a condition, finding, procedure or value. That it is not safe, that a partner drug is not
 * running or that it was not taken at home does not make it needless.
 */
function isNeed(term: Term): boolean {
  if (term.isNegated || term.kind === 'is') return false;
  if (term.kind === 'compare') return term.item !== 'age' && term.item !== 'onset';
  return term.of !== 'drug' && term.of !== 'allergy';
}

function withRule(kind: Kind, rule: Extract<RuleAnswer, { is: 'true' }>, own: Proven): Proof {
  const also = 'proof' in own ? own.proof : null;
  return {
    claim: kind,
    by: 'medpic_rule',
    rule_ids: [rule.rule_id, ...(also?.rule_ids ?? [])],
    rule_status: rule.status,
    cites: unique([...rule.cites, ...(also?.cites ?? [])]),
  };
}
