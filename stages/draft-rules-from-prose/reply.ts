/** What the model is asked to reply: rules whose every field comes with the words it was read from. */
import { z } from 'zod';
import { ACTION_KINDS } from '../../schemas/rule.js';

/** Words of the passage, copied. */
const quote = z.string();

const Words = z.strictObject({ text: z.string(), quote });
const Ground = z.strictObject({ condition: z.string(), quote });

export const ReplyRule = z.strictObject({
  /** Drugs in the text form of references; a null quote means the drug that the document is about. */
  targets: z.array(z.strictObject({ drug: z.string(), quote: quote.nullable() })).min(1),
  population: Ground.nullable(),
  /** Joined by AND. */
  when: z.array(Ground),
  unless: z.array(z.strictObject({ condition: z.string(), text: z.string(), quote })),
  action: z.strictObject({
    kind: z.enum(ACTION_KINDS),
    quote,
    act: Words.nullable(),
    dose_text: Words.nullable(),
    monitoring: Words.nullable(),
    alternative: z.strictObject({ drug: z.string(), quote }).nullable(),
  }),
});
export type ReplyRule = z.infer<typeof ReplyRule>;

/** A reply without rules has to say why: an empty list alone is no answer. */
export const Reply = z
  .strictObject({ rules: z.array(ReplyRule), nothing_because: z.string().nullable() })
  .refine((r) => r.rules.length > 0 !== (r.nothing_because !== null && r.nothing_because.trim() !== ''), {
    message: 'either rules or a reason why there are none',
  });
export type Reply = z.infer<typeof Reply>;
