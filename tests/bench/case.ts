/** What a benchmark case is: product and peers on the same data, checked before they are timed. */

export interface Time {
  readonly wall_s: number;
  /** User + system seconds of the whole process, its threads included. */
  readonly cpu_s: number;
}

/** One run of one side. */
export interface Outcome {
  /** By measure: `total`, or the parts that are compared one by one. Start-up and reading of inputs are not in it. */
  readonly times: Readonly<Record<string, Time>>;
  /** Highest resident memory of the process since it started, in MB; null when it cannot be known. */
  readonly peak_mb: number | null;
  /** Plain JSON. */
  readonly result: unknown;
}

/** Outcomes of the timed rounds by label, without their results. */
export type Rounds = Readonly<Record<string, readonly Omit<Outcome, 'result'>[]>>;

/** One side of a case: a process of its own, so that CPU time and memory are its own. */
export interface Side {
  run(): Promise<Outcome>;
  close(): void;
}

/** Starts a side; null when what it needs is not installed. */
export type StartSide = () => Promise<Side | null>;

/** A line of the table: the peer's time divided by the product's. */
export interface Comparison {
  readonly measure: string;
  readonly product: string;
  readonly peer: string;
  /** CPU time is the sturdier on a shared machine; wall where both sides use all cores. Default cpu. */
  readonly by?: 'cpu' | 'wall';
  /** E.g. `{ id: 'T1', ratio: 7 }`: the median ratio should be at least this. Never a reason to fail. */
  readonly target?: { readonly id: string; readonly ratio: number };
}

export interface BenchCase {
  readonly name: string;
  /** Makes the input files; not timed. */
  prepare?(): Promise<void>;
  /** By label. All products of a case must return equal results in every round. */
  readonly products: Readonly<Record<string, StartSide>>;
  readonly peers: Readonly<Record<string, StartSide>>;
  readonly comparisons: readonly Comparison[];
  /** Looks at the results of the warm-up, by label: null when the product is right, else what is wrong. */
  check(results: Readonly<Record<string, unknown>>): Promise<string | null>;
  /** What else is worth knowing of a case that passed its check, one sentence each. */
  notes?(results: Readonly<Record<string, unknown>>, rounds: Rounds): Promise<string[]>;
  /** Products run and are checked, nothing is timed. */
  readonly correctnessOnly?: boolean;
}
