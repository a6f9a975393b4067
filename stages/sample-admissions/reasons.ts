/** Why an admission is left out, in the order in which it is looked at, and what is left after each step. */

/** Reasons of judged.sql with the words of the funnel. */
export const EXCLUSIONS = {
  no_dischtime: 'end of the stay known',
  hosp_time_order: 'discharge not before admission',
  after_death: 'not after the death of the patient',
  under_age: 'of age',
  short_stay: 'long enough a stay',
  no_main_order: 'with a MAIN prescription',
  after_2019: 'patient of a group up to 2019',
  no_note: 'with a discharge note',
  several_notes: 'with one discharge note only',
} as const;

/** Reasons of the draw. */
export const DRAWS = {
  another_admission: 'one admission a patient',
  not_drawn: 'drawn',
} as const;

/** Every reason for a drop. */
export const REASONS = [...Object.keys(EXCLUSIONS), ...Object.keys(DRAWS)];
