/** What every benchmark offers to the command line. */
import type { KernelEngine } from './engine/adapters/kernels.js';
import type { Progress } from './engine/progress.js';

/** A model and what may be spent on it, as options of a command; what is absent was not given. */
export interface ModelOptions {
  readonly base_url?: string;
  /** Stands for the address in every key. */
  readonly id?: string;
  readonly model?: string;
  readonly class?: 'local' | 'attested' | 'remote';
  readonly attested_by?: string;
  readonly attested_at?: string;
  readonly api_key_env?: string;
  /** US dollars for a million tokens of prompt and of reply. */
  readonly price?: { readonly input_per_million: number; readonly output_per_million: number };
  readonly max_calls?: number;
  readonly max_tokens?: number;
  readonly max_cost_usd?: number;
}

export interface CommandContext {
  readonly buildDir: string;
  readonly workers: number;
  readonly engine: KernelEngine;
  readonly memoryLimit: string;
  readonly seed: number;
  readonly profile: string | undefined;
  readonly configFile: string | undefined;
  readonly mimicDirs: readonly string[] | undefined;
  readonly mimicVersion: string | undefined;
  /** Folders of documents that a model may draft rules from. */
  readonly pdfDir?: string | undefined;
  readonly labelsDir?: string | undefined;
  readonly models?: ModelOptions | undefined;
  /** Whether models may be asked; when it is left out they are if `models` names a server, else records must do. */
  readonly llmMode?: 'live' | 'replay' | undefined;
  /** Recorded answers beside those of the build folder. */
  readonly answersDir?: string | undefined;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** A result that can be printed: `words` for a person, the other fields for a program. */
export interface Printable {
  readonly words: string;
}

/** What `review export` is asked for. */
export interface ReviewExport {
  readonly what: 'rules' | 'items';
  readonly reviewer: string;
  readonly out: string;
  readonly format: 'csv' | 'jsonl';
}

/** Sheets for reviewers, and decisions back from them. */
export interface ReviewCommands {
  export(context: CommandContext, options: ReviewExport): Promise<Printable>;
  import(context: CommandContext, file: string): Promise<Printable>;
}

export interface Benchmark {
  readonly name: string;
  build(context: CommandContext, version: string | undefined, until: string | undefined): Promise<Printable>;
  plan(context: CommandContext, until: string | undefined): Promise<Printable>;
  config(context: CommandContext): Promise<Printable>;
  /** Walks an item of a release back to its sources; `dot` is the same as graphviz text, where a benchmark draws it. */
  trace(
    context: CommandContext,
    item: string,
    release: string,
  ): Promise<Printable & { readonly is_valid: boolean; readonly dot?: string }>;
  verify(context: CommandContext, release: string): Promise<Printable & { readonly is_valid: boolean }>;
  diff(a: string, b: string): Promise<Printable>;
  /** Only where people sign rules and items. */
  readonly review?: ReviewCommands;
}
