/** The texts of the questions; each is a file, so that its hash is part of what a release rests on. */
import type { StageContext } from '../contract.js';
import type { Prompts } from './assemble.js';

const NAMES = ['mcq', 'open', 'allergies', 'no-profile', 'no-trajectory'] as const;
const fileOf = (name: string): string => `stages/assemble-questions/prompts/${name}.md`;

export const PROMPT_FILES: readonly string[] = NAMES.map(fileOf);

/** Reads the texts, without the line end of the file. */
export function readPrompts(ctx: Pick<StageContext, 'file'>): Prompts {
  return Object.fromEntries(NAMES.map((name) => [name, ctx.file(fileOf(name)).trim()])) as Prompts;
}
