/** Three-valued logic (Kleene): unknown is not false. */
export type Truth = 'true' | 'false' | 'unknown';

export const truthOf = (b: boolean | null | undefined): Truth =>
  b === null || b === undefined ? 'unknown' : b ? 'true' : 'false';

export const not = (t: Truth): Truth => (t === 'unknown' ? t : t === 'true' ? 'false' : 'true');

/** True when at least `n` are true whatever the unknown ones are, false when they cannot be. */
export function atLeast(n: number, values: readonly Truth[]): Truth {
  const yes = values.filter((v) => v === 'true').length;
  const open = values.filter((v) => v === 'unknown').length;
  return yes >= n ? 'true' : yes + open < n ? 'false' : 'unknown';
}

export const all = (values: readonly Truth[]): Truth => atLeast(values.length, values);
export const any = (values: readonly Truth[]): Truth => atLeast(1, values);
