/** What a pipeline is: stages in order, how they are wired, and the named sets of config values. */
import type { StageSpec } from '../../stages/contract.js';
import { nearest } from '../../stages/lib/nearest.js';
import { UsageError } from './errors.js';

/** Where a stage input comes from. */
export type Ref =
  | { readonly from: 'stage'; readonly stage: string; readonly output: string }
  | { readonly from: 'source'; readonly source: string };

export interface Step {
  readonly stage: StageSpec;
  readonly inputs: Readonly<Record<string, Ref>>;
}

/** Values of stage configs that differ from the defaults: stage name to fields. */
export type ConfigValues = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface Pipeline {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly profiles: Readonly<Record<string, ConfigValues>>;
}

/** Short for the wiring of a pipeline. */
export const output = (stage: string, name: string): Ref => ({ from: 'stage', stage, output: name });
/** Files that come from outside. */
export const source = (name: string): Ref => ({ from: 'source', source: name });

/** Binds every input to the latest earlier stage that has an output of that name; an optional one may have none. */
export function wire(stages: readonly StageSpec[], outside: Readonly<Record<string, Ref>>): Step[] {
  const made = new Map<string, Ref>(Object.entries(outside));
  return stages.map((stage) => {
    const inputs: Record<string, Ref> = {};
    for (const name of Object.keys(stage.inputs)) {
      const ref = made.get(name);
      if (!ref && stage.optional?.includes(name)) continue;
      if (!ref) throw new Error(`no stage before ${stage.name} writes its input ${name}`);
      inputs[name] = ref;
    }
    for (const name of Object.keys(stage.outputs)) made.set(name, output(stage.name, name));
    return { stage, inputs };
  });
}

/** The steps that a stage needs, itself included, in order. */
export function stepsFor(pipeline: Pipeline, last: string): Step[] {
  const names = pipeline.steps.map((s) => s.stage.name);
  if (!names.includes(last)) {
    const near = nearest(last, names);
    throw new UsageError({
      message: 'unknown stage',
      got: last,
      expected: names.join(', '),
      next: near ? `did you mean ${near}?` : 'name one of these with --until',
    });
  }
  const needed = new Set([last]);
  for (const step of [...pipeline.steps].reverse()) {
    if (!needed.has(step.stage.name)) continue;
    for (const ref of Object.values(step.inputs)) if (ref.from === 'stage') needed.add(ref.stage);
  }
  return pipeline.steps.filter((s) => needed.has(s.stage.name));
}
