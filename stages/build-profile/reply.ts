/** What the model is asked to reply: stretches of the parts it was given, sorted into sections. */
import { z } from 'zod';

/** Words of the note, copied. */
const stretches = z.array(z.string());

export const Reply = z.strictObject({
  chief_complaint: stretches,
  history_of_present_illness: stretches,
  review_of_systems: stretches,
  past_medical_history: stretches,
  social_history: stretches,
  family_history: stretches,
  physical_exam: stretches,
  allergy_statement: z.string().nullable(),
  allergies: stretches,
  home_medications: z.array(
    z.strictObject({
      quote: z.string(),
      drug: z.string(),
      dose: z.string().nullable(),
      route: z.string().nullable(),
    }),
  ),
});
export type Reply = z.infer<typeof Reply>;
