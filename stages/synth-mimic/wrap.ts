/** Lines of notes: about 76 characters, as the record system wrapped them. */

const WIDTH = 76;

/** Breaks a text at blanks so that no line is longer than `width` unless one word is. */
export function wrap(text: string, width = WIDTH): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((w) => w !== '')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].filter((x) => x !== '').join('\n');
}
