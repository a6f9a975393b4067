/** Words as a shell reads them. */

/** A command line that a POSIX shell splits into exactly these words. */
export const shellWords = (words: readonly string[]): string =>
  words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
