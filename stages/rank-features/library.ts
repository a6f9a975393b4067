/** Ranking with the npm library ml-random-forest, its importances summed from its trees. */
import { RandomForestClassifier } from 'ml-random-forest';
import { normalise } from '../lib/importance.js';

/** A node of the library's trees, as `toJSON` hands it out. Only nodes with children were really split. */
interface LibraryNode {
  readonly gain?: number;
  readonly numberSamples?: number;
  readonly splitColumn?: number;
  readonly left?: LibraryNode;
  readonly right?: LibraryNode;
}
interface LibraryModel {
  readonly indexes: readonly (readonly number[])[];
  readonly estimators: readonly { readonly root: LibraryNode }[];
}

export interface LibraryTask {
  /** The cohort's values, column-major, in shared memory. */
  readonly data: Float64Array;
  readonly cohortN: number;
  readonly columns: Int32Array;
  readonly rows: Int32Array;
  readonly labels: Uint8Array;
  readonly seed: number;
  readonly trees: number;
}

/**
 * One importance vector per tree, each summing to 1 (or 0 for a tree without a split). The library's own
 * `featureImportance()` subtracts the gains of the children from that of the node, as if they were impurities.
 */
export function libraryTrees(task: LibraryTask): Float64Array {
  const columns = task.columns.length;
  const forest = new RandomForestClassifier({
    // The library wants a signed 32-bit seed.
    seed: task.seed | 0,
    nEstimators: task.trees,
    // The library draws columns per tree, not per node, and reads 1 as "all".
    maxFeatures: Math.min(columns, Math.max(2, Math.floor(Math.sqrt(columns)))),
    replacement: false,
    useSampleBagging: true,
    noOOB: true,
    isClassifier: true,
    treeOptions: { minNumSamples: 1, gainThreshold: 0 },
  });
  const values = Array.from(task.rows, (r) =>
    Array.from(task.columns, (f) => task.data[f * task.cohortN + r]!),
  );
  forest.train(values, Array.from(task.labels));
  const model = (forest.toJSON() as unknown as { baseModel: LibraryModel }).baseModel;
  const vectors = new Float64Array(task.trees * columns);
  model.estimators.forEach((tree, t) => {
    const vector = vectors.subarray(t * columns, (t + 1) * columns);
    addNode(tree.root, model.indexes[t]!, vector);
    normalise(vector);
  });
  return vectors;
}

function addNode(node: LibraryNode, columns: readonly number[], vector: Float64Array): void {
  if (!node.left || !node.right) return;
  const f = columns[node.splitColumn!]!;
  vector[f] = vector[f]! + node.gain! * node.numberSamples!;
  addNode(node.left, columns, vector);
  addNode(node.right, columns, vector);
}
