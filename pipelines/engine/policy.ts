/** Where data may go. No flag overrides these rules. */
import type { AccessClass } from '../../stages/contract.js';
import { PolicyError } from './errors.js';
import type { ModelSetup } from './models.js';

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

/**
 * Rows above `open` may be shown to a local or attested model only. Throws before anything is sent; no flag overrides it.
 * A provider called local must have an address that cannot be elsewhere.
 */
export function checkProvider(access: AccessClass, setup: ModelSetup): void {
  const { server, provider, purpose } = setup;
  if (access === 'open') return;
  if (server.class === 'remote') {
    throw new PolicyError({
      message: `rows of class ${access} may not be sent to a remote model`,
      field: `models.providers.${provider}`,
      got: `class remote, for ${purpose}`,
      expected: 'class local, or attested with attested_by and attested_at',
      next: 'serve the model on your own machines, or record who attested that this provider may see such rows',
    });
  }
  if (server.class === 'local' && !isLocalAddress(server.base_url)) {
    throw new PolicyError({
      message: `a provider is called local, but its address is not`,
      field: `models.providers.${provider}.base_url`,
      got: new URL(server.base_url).hostname,
      expected: 'this machine, a private address, or a host name without a public domain',
      next: 'use class attested, with who attested it and when',
    });
  }
}

/** Loopback, private ranges (RFC 1918, RFC 4193, link-local), and names that no public resolver knows. */
export function isLocalAddress(url: string): boolean {
  const host = new URL(url).hostname.toLowerCase().replace(/\.$/, '');
  if (host.startsWith('[')) return /^\[(::1|f[cd][0-9a-f]{2}:|fe80:)/.test(host);
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host))
    return /^(127\.|10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.)/.test(host);
  return !host.includes('.') || /\.(local|internal|lan|home\.arpa|localhost)$/.test(host);
}
