/** Drafts written down: options with letters, vignette, question, answer, and the rows of both tables. */
import type { Option } from '../../schemas/medpic.js';
import { NONE_OF_THE_ABOVE } from '../../schemas/medpic.js';
import type { RandomStream, SqlRow } from '../contract.js';
import { canonicalJson } from '../lib/canonical-json.js';
import { sha256 } from '../lib/hash.js';
import type { Draft, Member } from './item.js';
import type { Letters } from './letters.js';
import { stem } from './stems.js';
import type { Taxonomy } from './taxonomy.js';
import { renderVignette, type Vignette } from './vignette.js';
import type { World } from './world.js';

export interface WriterContext {
  readonly world: World;
  readonly letters: Letters;
  readonly taxonomy: Taxonomy;
  readonly random: (label: string) => RandomStream;
  /** How questions name a source. */
  readonly sourceName: (source_id: string) => string;
  /** Stops the stage when the text does not state a fact. */
  readonly check: (member: Member, vignette: Vignette, label: string) => void;
}

export interface Written {
  readonly questions: SqlRow[];
  readonly answers: SqlRow[];
}

/** One draft as rows: a row a member. */
export function writeDown(draft: Draft, c: WriterContext): Written {
  const places = c.letters.place(draft);
  const letterOf = (i: number): string => String.fromCharCode(65 + places.indexOf(i));
  const none = draft.texts.length;
  const question = stem(draft.decision_type, c.sourceName(draft.rule.source_id), draft.wording, draft.drug);
  const options = Object.fromEntries(
    places.map((from, at) => [
      String.fromCharCode(65 + at),
      from === none ? NONE_OF_THE_ABOVE : draft.texts[from]!,
    ]),
  );
  const made = draft.members.map((member) => {
    const vignette = vignetteOf(draft, member, c);
    c.check(member, vignette, draft.label);
    const keys = member.keys.length > 0 ? member.keys : [none];
    const answer = keys.map(letterOf).sort();
    const shown = { config: draft.config, vignette: vignette.text, question: question.text, options };
    return { member, vignette, answer, instance_id: sha256(canonicalJson(shown)).slice(0, 16), shown };
  });
  const pair_id =
    made.length > 1
      ? sha256(
          made
            .map((m) => m.instance_id)
            .sort()
            .join(' '),
        ).slice(0, 16)
      : null;
  return {
    questions: made.map((m) => ({
      instance_id: m.instance_id,
      benchmark_task_family: familyOf(draft),
      config: draft.config,
      patient_vignette: m.vignette.text,
      question: question.text,
      options: canonicalJson(options),
      split: 'test',
    })),
    answers: made.map((m, i) => ({
      instance_id: m.instance_id,
      benchmark_task_family: familyOf(draft),
      config: draft.config,
      answer: canonicalJson(m.answer),
      answer_texts: canonicalJson(m.answer.map((l) => options[l]!)),
      none_letter: letterOf(none),
      decision_type: draft.decision_type,
      taxonomy_reasoning_operation: operationOf(draft, m.member),
      taxonomy_patient_info_type: draft.information_type,
      ...c.taxonomy.of(
        draft.rule,
        draft.profile,
        m.member.keys.map((k) => m.member.uses[k]!.drug),
        draft.drug,
      ),
      rule_id: m.member.rule_id,
      source_id: draft.rule.source_id,
      source_ref: draft.rule.spans[0]!.ref,
      pair_id,
      pair_role: m.member.role,
      changed: changesOf(draft, i),
      template_id: question.template_id,
      patient: canonicalJson(m.member.patient),
      candidates: canonicalJson(optionsOf(draft, m.member, letterOf)),
      facts: canonicalJson(m.vignette.facts),
      watch_rules: canonicalJson(m.member.watch),
      content_hash: sha256(canonicalJson({ ...m.shown, answer: m.answer, patient: m.member.patient })),
      split: 'test',
    })),
  };
}

const familyOf = (d: Draft): string => (d.config === 'gf' ? 'guideline_following' : 'counterfactual');

function operationOf(d: Draft, m: Member): string {
  if (d.config !== 'cf') return d.operation;
  return m.role === 'trigger' ? 'activation' : 'deactivation';
}

/** Changes from the first member to this one; the first member of two carries them too. */
function changesOf(d: Draft, i: number): string | null {
  if (d.changes.length === 0) return null;
  if (i > 0) return canonicalJson(d.changes[i - 1]);
  return d.changes.length === 1 ? canonicalJson(d.changes[0]) : null;
}

function vignetteOf(d: Draft, m: Member, c: WriterContext): Vignette {
  return renderVignette({
    patient: m.patient,
    uses: [...new Map(m.uses.map((u) => [u.drug, u])).values()],
    members: d.members,
    profile: d.profile,
    decision_type: d.decision_type,
    typical_use: (drug) => c.world.typicalUse(drug),
    concepts: c.world.knowledge.concepts,
    words: c.world.words,
    wording: () => c.random(`wording ${d.label}`),
  });
}

function optionsOf(d: Draft, m: Member, letterOf: (i: number) => string): Option[] {
  const drugs = d.texts.map(
    (text, i): Option => ({
      letter: letterOf(i),
      text,
      kind: d.kind,
      use: m.uses[i]!,
      // One text may stand for several bands: the one that holds for this member is named.
      handling_of: d.handling_of[i] !== null && m.keys.includes(i) ? m.rule_id : d.handling_of[i]!,
    }),
  );
  const none: Option = {
    letter: letterOf(d.texts.length),
    text: NONE_OF_THE_ABOVE,
    kind: 'none',
    use: null,
    handling_of: null,
  };
  return [...drugs, none].sort((a, b) => (a.letter < b.letter ? -1 : 1));
}
