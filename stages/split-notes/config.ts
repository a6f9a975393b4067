import { z } from 'zod';

export const config = z.strictObject({
  core_sections: z
    .array(z.string().min(1))
    .default([
      'allergies',
      'chief_complaint',
      'hpi',
      'pmh',
      'exam',
      'course',
      'meds_admission',
      'meds_discharge',
      'diagnosis',
    ])
    .describe('sections that a discharge note should have; notes without one are counted and kept'),
});

export type Config = z.infer<typeof config>;
