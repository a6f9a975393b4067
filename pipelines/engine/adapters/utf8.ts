/** Where a piece of UTF-8 text breaks: Node tells only whether it does. */

/** Bytes of the character that begins with `lead`; 0 when no character begins so. */
function characterBytes(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/** Bytes at the end of `bytes` that begin a character but do not finish it (0 to 3). */
export function incompleteTail(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte >= 0x80 && byte < 0xc0) continue;
    return characterBytes(byte) > back ? back : 0;
  }
  return 0;
}

/** Offset of the first byte that belongs to no valid character, or -1. */
export function invalidAt(bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; ) {
    const n = characterBytes(bytes[i]!);
    if (n === 0 || i + n > bytes.length || !isCharacter(bytes, i, n)) return i;
    i += n;
  }
  return -1;
}

/** Continuation bytes, no overlong forms, no surrogates, nothing above U+10FFFF (Unicode 15, table 3-7). */
function isCharacter(bytes: Uint8Array, at: number, n: number): boolean {
  for (let k = 1; k < n; k++) if ((bytes[at + k]! & 0xc0) !== 0x80) return false;
  const lead = bytes[at]!;
  const second = bytes[at + 1] ?? 0;
  if (lead === 0xe0) return second >= 0xa0;
  if (lead === 0xed) return second <= 0x9f;
  if (lead === 0xf0) return second >= 0x90;
  return lead !== 0xf4 || second <= 0x8f;
}
