/** Content hashes and content-derived ids. */
import { createHash, createHmac } from 'node:crypto';

/** SHA-256 of text (UTF-8) or bytes, in hex. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** SHA-256 of bytes that come in pieces. */
export function sha256Stream(): { update(bytes: Uint8Array): void; hex(): string } {
  const hash = createHash('sha256');
  return { update: (bytes) => void hash.update(bytes), hex: () => hash.digest('hex') };
}

/** A content-derived id: the first 16 hex digits of SHA-256 over a namespace and its natural key. */
export function contentId(namespace: string, ...key: readonly (string | number)[]): string {
  return sha256([namespace, ...key].join('\u001f')).slice(0, 16);
}

/** A number in [0, 1) that depends on the key alone: the first 52 bits of SHA-256 over its parts. */
export function hashPoint(...key: readonly (string | number)[]): number {
  return Number.parseInt(sha256(key.join('\u001f')).slice(0, 13), 16) / 2 ** 52;
}

/** Keyed pseudonym of an id (HMAC-SHA-256, 16 hex digits). */
export function pseudonym(key: string, id: string | number): string {
  return createHmac('sha256', key).update(String(id)).digest('hex').slice(0, 16);
}
