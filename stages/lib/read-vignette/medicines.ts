/** Medicines taken and stopped, and allergies. */
import type { Found } from './sentences.js';

const DISCUSSED = '(?:apart from any drug discussed below, )?';
const NONE = new RegExp(`^${DISCUSSED}@ (?:takes no medicines|is on no medication)$`);
const ONLY = new RegExp(`^${DISCUSSED}@r only medicines? (?:is|are) (.+)$`);
const CLOSED = new RegExp(
  `^${DISCUSSED}@ takes (?:no medicines other than (.+)|(.+) and no other medicine)$`,
);
const OPEN = /^@ takes (.+)$/;
const STOPPED =
  /^(?:@ took the last dose of (.+)|@r last dose of (.+) was) (\d+(?:\.\d+)?) (hour|day|week|month|year)s? ago$/;
const NO_ALLERGY = /^(?:@ has no (?:other )?known drug allergies|no (?:other )?drug allergies are known)$/;

const UNITS = { hour: 'h', day: 'd', week: 'wk', month: 'mo', year: 'a' } as const;

const taken = (list: string): Found[] =>
  list.split(/, | and /).map((drug): Found => [`medications/${drug}`, true]);

/** Reads what is taken, what was stopped and when, and that nothing else is. */
export function readMedicines(plain: string): Found[] | null {
  if (NONE.test(plain)) return [['closed/medications', true]];
  if (NO_ALLERGY.test(plain)) return [['closed/allergies', true]];
  const stopped = STOPPED.exec(plain);
  if (stopped) {
    const unit = UNITS[stopped[4] as keyof typeof UNITS];
    return [[`stopped/${stopped[1] ?? stopped[2]}`, { value: Number(stopped[3]), unit }]];
  }
  const closed = ONLY.exec(plain) ?? CLOSED.exec(plain);
  if (closed) return [...taken((closed[1] ?? closed[2])!), ['closed/medications', true]];
  const open = OPEN.exec(plain);
  return open ? taken(open[1]!) : null;
}
