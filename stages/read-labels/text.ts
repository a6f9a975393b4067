/** Text of SPL elements as a person reads it: blocks on lines of their own, cells apart, raised characters marked. */
import type { XmlElement, XmlNode } from '../lib/xml.js';

const BLOCKS = new Set([
  'paragraph',
  'item',
  'list',
  'tr',
  'caption',
  'title',
  'table',
  'thead',
  'tbody',
  'tfoot',
  'text',
  'br',
  'p',
  'li',
  'div',
]);
const CELLS = new Set(['td', 'th']);

export interface TextOptions {
  /** Receives the text of footnotes in place of the running text. */
  readonly notes?: string[];
}

/**
 * Lines joined by a line feed, white space folded. Cells of a row are separated by ` | `. Raised text is marked with `^`, so
 * that a footnote mark never becomes a digit of the number before it (`30^a`, `1.73 m^2`); footnotes stand in brackets.
 */
export function textOf(element: XmlElement, options: TextOptions = {}): string {
  return foldLines(rawText(element, options));
}

/** Folds white space within lines and drops empty lines. */
export const foldLines = (text: string): string =>
  text
    .split('\n')
    .map((line) =>
      line
        .replace(/\s+/g, ' ')
        .replace(/( \|)+ ?$/, '')
        .trim(),
    )
    .filter((line) => !/^[| ]*$/.test(line))
    .join('\n');

function rawText(node: XmlElement, options: TextOptions): string {
  return Array.from(node.childNodes)
    .map((child) => childText(child, options))
    .join('');
}

function childText(node: XmlNode, options: TextOptions): string {
  // Line ends of the file are no line ends of the text.
  if (node.nodeType === 3 || node.nodeType === 4) return (node.nodeValue ?? '').replace(/\s+/g, ' ');
  if (node.nodeType !== 1) return '';
  const element = node as XmlElement;
  const name = element.tagName;
  if (name === 'footnote') {
    const note = textOf(element).replaceAll('\n', ' ');
    if (!options.notes) return ` [${note}] `;
    options.notes.push(note);
    return '';
  }
  const inner = rawText(element, options);
  if (name === 'sup') return raised(inner);
  if (BLOCKS.has(name)) return `\n${inner}\n`;
  return CELLS.has(name) ? `${inner.replace(/\s*\n\s*/g, ' ')} | ` : inner;
}

function raised(text: string): string {
  const word = text.trim();
  return word === '' || /^[®™©]+$/.test(word) ? text : `^${word}${/\s$/.test(text) ? ' ' : ''}`;
}
