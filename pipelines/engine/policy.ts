/** Where data may go. No flag overrides these rules. */
import type { AccessClass } from '../../stages/contract.js';
import { PolicyError } from './errors.js';

const ORDER: readonly AccessClass[] = ['open', 'restricted', 'credentialed'];

/** The highest of several classes. */
export function highest(classes: readonly AccessClass[]): AccessClass {
  return ORDER[Math.max(0, ...classes.map((c) => ORDER.indexOf(c)))]!;
}

/** A public release holds open rows only. */
export function checkPublication(access: AccessClass, audience: 'public' | 'credentialed'): void {
  if (audience === 'public' && access !== 'open') {
    throw new PolicyError({
      message: 'a public release may hold open rows only',
      got: `rows of class ${access}`,
      expected: 'open',
      next: 'build a credentialed release (audience "auto"), and share it on PhysioNet under the agreement of its source',
    });
  }
}
