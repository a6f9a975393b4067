/** Glyphs that print several letters, and characters that print like another one. */

/** The presentation forms of Latin ligatures, and hyphens and spaces that are only a matter of typesetting. */
export const LIGATURES: ReadonlyMap<string, string> = new Map([
  ['\ufb00', 'ff'],
  ['\ufb01', 'fi'],
  ['\ufb02', 'fl'],
  ['\ufb03', 'ffi'],
  ['\ufb04', 'ffl'],
  ['\ufb05', 'st'],
  ['\ufb06', 'st'],
  ['\u2010', '-'],
  ['\u2011', '-'],
  ['\u00ad', '-'],
]);
