import { z } from 'zod';

export const PROMPTS = ['diagnose.v1'] as const;

/** Path of a prompt file by its name and version. */
export const promptFile = (prompt: string): string => `stages/stamp-release/prompts/${prompt}.md`;

export const StampReleaseConfig = z.strictObject({
  prompt: z.enum(PROMPTS).default('diagnose.v1').describe('prompt file in prompts/, by name and version'),
  audience: z
    .enum(['auto', 'public', 'credentialed'])
    .default('auto')
    .describe('who the release is for; public refuses rows that are not open, auto follows the data'),
  pseudonym_label: z
    .string()
    .min(1)
    .default('supmimic')
    .describe('word that, with the seed, keys the patient pseudonyms and item ids'),
});
export type StampReleaseConfig = z.infer<typeof StampReleaseConfig>;
