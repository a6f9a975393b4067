/** Buffers of the TypeScript form of the forest. */

/** Nodes of more rows read column by column (a column stays in cache), smaller ones row by row. */
export const ROW_MAJOR_LIMIT = 1024;
/** Columns that are drawn and counted at a time. */
export const GROUP = 4;
export const BINS = 256;
/** Largest weight of a label in a node for packed counts. */
export const PACKED_LIMIT = 32767;

/** Draws that were made ahead: columns, how many were visited with each, random state after each. */
export interface Draws {
  n: number;
  readonly column: Int32Array;
  readonly visited: Int32Array;
  readonly state: Int32Array;
  /** Place that each visit swapped with. */
  readonly other: Int32Array;
  /** Per column of the group: the blocks of 8 bins that the node touches. */
  readonly blocks: Int32Array;
}

/** Best cut of the node so far. */
export interface Cut {
  score: number;
  bin: number;
  l0: number;
  l1: number;
  /** A cut can only be better when d * d > bound * l * r, with d = l1 * w0 - l0 * w1. */
  bound: number;
  w0: number;
  w1: number;
}

/** Buffers that all trees of a training set share. */
export interface Scratch {
  readonly state: Int32Array;
  /** Rows of the tree and their packed weights. Nodes are ranges of both. */
  readonly idx: Int32Array;
  readonly weights: Int32Array;
  readonly rightIdx: Int32Array;
  readonly rightWeights: Int32Array;
  readonly stack: Int32Array;
  readonly perm: Int32Array;
  /** Packed counts of the group, one column behind the other; all 0 between uses. */
  readonly hist: Int32Array;
  readonly draws: Draws;
  readonly cut: Cut;
}

/** Buffers for a training set of `n` rows and `p` columns. */
export function createScratch(n: number, p: number): Scratch {
  return {
    state: new Int32Array(4),
    idx: new Int32Array(n),
    weights: new Int32Array(n),
    rightIdx: new Int32Array(n),
    rightWeights: new Int32Array(n),
    stack: new Int32Array(4 * (n + 2)),
    perm: new Int32Array(p),
    hist: new Int32Array(GROUP * BINS),
    draws: {
      n: 0,
      column: new Int32Array(GROUP),
      visited: new Int32Array(GROUP),
      state: new Int32Array(4 * GROUP),
      other: new Int32Array(p),
      blocks: new Int32Array(GROUP),
    },
    cut: { score: -1, bin: 0, l0: 0, l1: 0, bound: -1, w0: 0, w1: 0 },
  };
}
