/** Where each diagnosis of a patient began, as a note tells it: in the past, with the illness that led here, in hospital. */
import type { Course } from './admission.js';
import type { Subject } from './context.js';
import type { Background } from './evidence.js';
import type { Dx } from './numbers.js';

export type Origin = 'before' | 'arrival' | 'hospital';

/** A coded diagnosis of the patient and since when it has been true, in seconds. */
export interface Condition {
  readonly dx: Dx;
  readonly origin: Origin;
  readonly onsetAt: number;
}

/** The coded diagnoses of a subject in the order of diagnoses.csv; what is treated at home is known from before. */
export function conditionsOf(s: Subject, { home, onset }: Background, course: Course): Condition[] {
  return s.numbers.dx
    .filter((dx) => s.has(dx.key))
    .map((dx) => {
      const onsetAt = onset.get(dx.key)!;
      const isKnown = dx.isChronic || home.some((h) => h.dxKey === dx.key);
      const origin = isKnown ? 'before' : onsetAt <= course.admittime ? 'arrival' : 'hospital';
      return { dx, origin, onsetAt };
    });
}
