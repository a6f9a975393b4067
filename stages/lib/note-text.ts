/** Text of notes as a profile shows it. Verification reads the note with the same rules. */
import { UNKNOWN } from '../../schemas/rxeval-record.js';

/** A blank of the deidentification, or several of them in a row (`___/___`). */
const MASKS = /_{3,}(?:[\s/,.-]*_{3,})*/g;

/** A piece of a note in one line: line ends and runs of blanks become one blank, what is masked becomes `Unknown`. */
export function cleanNote(raw: string): string {
  return raw.replace(MASKS, UNKNOWN).replace(/\s+/g, ' ').trim();
}

/** True where a piece of a note says something beside its masks. */
export function saysSomething(raw: string): boolean {
  return /[\p{L}\p{N}]/u.test(raw.replace(MASKS, ''));
}

/** Words for a search: lower case, everything but letters, digits and points inside numbers is one blank; blanks at both ends. */
export function foldWords(text: string): string {
  const words = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/(?<=\d),(?=\d{3}\b)/g, '')
    .replace(/(?<!\d)\.|\.(?!\d)/g, ' ')
    .replace(/[^\p{L}\p{N}.]+/gu, ' ');
  return ` ${words.trim()} `;
}
