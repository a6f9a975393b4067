/** Length of a prompt in tokens. */
import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';

/** The vocabulary that token counts of prompts are in; reports name it. */
export const TOKENIZER = 'o200k_base';

let encoder: Tiktoken | undefined;

/** Number of o200k_base tokens of a text; words that name special tokens count as ordinary text. */
export function countTokens(text: string): number {
  encoder ??= new Tiktoken(o200k);
  return encoder.encode(text, [], []).length;
}
