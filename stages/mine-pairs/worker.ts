/** What mine-pairs does on worker threads. */
import {
  type MinedDiagnosis,
  type MinedPart,
  type MiningTask,
  mineDiagnosis,
  minePart,
} from '../lib/mining.js';
import type { Part } from '../lib/within-pass.js';

export { joinParts } from '../lib/mining.js';

/** A whole diagnosis, or one part of it. */
export function minePiece(task: MiningTask & { readonly part: Part }): MinedDiagnosis | MinedPart {
  return task.part.of === 1 ? mineDiagnosis(task) : minePart(task);
}
