/** What a scenario is. */
import type { Patient, Use } from '../../schemas/patient.js';
import type { Literal } from './literals.js';

export const PROFILES = ['older_adult', 'adult', 'pregnant', 'child'] as const;
export type Profile = (typeof PROFILES)[number];

export interface Scenario {
  readonly profile: Profile;
  readonly patient: Patient;
  readonly use: Use;
  readonly literals: readonly Literal[];
}

/** Why no scenario could be made. */
export class NoScenario extends Error {}
