/** Options of build-trajectories. */
import { z } from 'zod';

export const BuildTrajectoriesConfig = z.strictObject({
  events: z
    .enum(['paper', 'all'])
    .default('paper')
    .describe(
      'paper: prescriptions, labs, procedures, radiology, cultures; all: charted vitals and outputs too',
    ),
  event_unit: z
    .enum(['row', 'draw', 'day'])
    .default('draw')
    .describe(
      'what one lab event holds: a result, the results of a draw filed at one time, or those of a day',
    ),
  lab_filter: z
    .enum(['all', 'abnormal_or_first'])
    .default('abnormal_or_first')
    .describe(
      'which results are shown: all, or abnormal ones, the first of each item and those that are normal again',
    ),
});

export type BuildTrajectoriesConfig = z.infer<typeof BuildTrajectoriesConfig>;
