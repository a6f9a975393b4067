/** Every vignette is read back before it is written: a fact that its text does not state stops the stage. */
import type { StageContext } from '../contract.js';
import { checkVignette, wordProblem } from '../lib/read-vignette/check.js';
import type { World } from './world.js';
import type { WriterContext } from './write-down.js';

const SHOWN = 3;

/** The check of one member; the error names the item, the fact and the sentence. */
export function textCheck(ctx: StageContext, world: World): WriterContext['check'] {
  const knowledge = {
    concepts: world.knowledge.concepts,
    words: world.words,
    typical_use: (drug: string) => world.typicalUse(drug),
  };
  return (member, vignette, label) => {
    const found = checkVignette(vignette.text, member.patient, member.uses, knowledge);
    if (found.length === 0) return;
    const words = found.slice(0, SHOWN).map(wordProblem);
    ctx.fail({
      message: `the text of "${label}" (${member.role ?? 'single item'}) does not state its patient: ${words.join('; ')}`,
      file: 'questions',
      field: found[0]!.fact,
      got: found[0]!.sentence ?? vignette.text,
      expected: 'every fact of the patient stated by one sentence, and no other',
      next: 'correct the wording in stages/pose-questions, or teach stages/lib/read-vignette the sentence',
    });
  };
}
