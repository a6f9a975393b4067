/** Reads XML strictly: linkedom builds the tree but takes anything, so well-formedness is checked here first. */
import { DOMParser } from 'linkedom';

/** Where a text is no well-formed XML. */
export interface XmlProblem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

const NAME = '[A-Za-z_][\\w.:-]*';
const OPEN = new RegExp(`<(${NAME})((?:\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/?)>`, 'y');
const CLOSE = new RegExp(`</(${NAME})\\s*>`, 'y');
const ATTRIBUTE = new RegExp(`(${NAME})\\s*=`, 'g');
/** An ampersand that starts none of the five entities of XML and no character reference. */
const LOOSE_AMPERSAND = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;
/** Nesting past this is no document that anybody wrote. */
const MAX_DEPTH = 200;

/** Texts that start with `open` and end with `close`, and are skipped. */
const SKIPPED = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

/** The first problem of an XML text, or undefined when it is well formed. Declarations in a document type are refused. */
export function xmlProblem(text: string): XmlProblem | undefined {
  const stack: string[] = [];
  let roots = 0;
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const problem = (message: string, where = at): XmlProblem => {
    const before = text.slice(0, where).split('\n');
    return { message, line: before.length, column: before.at(-1)!.length + 1 };
  };
  const isOutside = (): boolean => stack.length === 0;
  while (at < text.length) {
    const next = text.indexOf('<', at);
    const words = text.slice(at, next < 0 ? undefined : next);
    const loose = words.search(LOOSE_AMPERSAND);
    if (loose >= 0) return problem('an & that starts no known entity', at + loose);
    const control = words.search(CONTROL);
    if (control >= 0) return problem('a control character', at + control);
    if (isOutside() && words.trim() !== '') return problem('text outside the root element');
    if (next < 0) break;
    at = next;
    const skipped = SKIPPED.find(([open]) => text.startsWith(open, at));
    if (skipped) {
      const end = text.indexOf(skipped[1], at + skipped[0].length);
      if (end < 0) return problem(`${skipped[0]} without ${skipped[1]}`);
      if (skipped[0] === '<![CDATA[' && isOutside()) return problem('text outside the root element');
      at = end + skipped[1].length;
      continue;
    }
    if (text.startsWith('<!DOCTYPE', at)) {
      const end = text.indexOf('>', at);
      const inner = text.slice(at, end < 0 ? undefined : end);
      if (end < 0 || inner.includes('[') || roots > 0) return problem('a document type with declarations');
      at = end + 1;
      continue;
    }
    CLOSE.lastIndex = at;
    const close = CLOSE.exec(text);
    if (close) {
      const open = stack.pop();
      if (open !== close[1])
        return problem(`</${close[1]}> where ${open ? `</${open}>` : 'nothing'} is expected`);
      at = CLOSE.lastIndex;
      continue;
    }
    OPEN.lastIndex = at;
    const open = OPEN.exec(text);
    if (!open) return problem('a tag that is not whole');
    const attributes = [...open[2]!.replace(/"[^"]*"|'[^']*'/g, '').matchAll(ATTRIBUTE)].map((a) => a[1]);
    if (new Set(attributes).size < attributes.length) return problem('an attribute that stands twice');
    if (LOOSE_AMPERSAND.test(open[2]!)) return problem('an & that starts no known entity');
    if (isOutside() && roots++ > 0) return problem('a second root element');
    if (open[3] === '') stack.push(open[1]!);
    if (stack.length > MAX_DEPTH) return problem(`elements nested deeper than ${MAX_DEPTH}`);
    at = OPEN.lastIndex;
  }
  if (stack.length > 0)
    return problem(`the end of the text where </${stack.at(-1)}> is expected`, text.length);
  return roots === 0 ? problem('no element', text.length) : undefined;
}

/** The tree of a well-formed XML text; names keep their case, attribute values their entities. Check with `xmlProblem` first. */
export function xmlTree(text: string): XmlElement {
  const document = new DOMParser().parseFromString(text.replace(/^\ufeff/, ''), 'text/xml');
  return document.documentElement as unknown as XmlElement;
}

/** The little of a DOM that is used. */
export interface XmlNode {
  readonly nodeType: number;
  readonly nodeValue: string | null;
}
export interface XmlElement extends XmlNode {
  readonly localName: string;
  readonly tagName: string;
  readonly childNodes: ArrayLike<XmlNode>;
  readonly children: ArrayLike<XmlElement>;
  getAttribute(name: string): string | null;
}

/** Child elements, all or those of a name. */
export const childrenOf = (element: XmlElement, name?: string): XmlElement[] =>
  Array.from(element.children).filter((c) => name === undefined || c.tagName === name);

/** The first child element of a name. */
export const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element && childrenOf(element, name)[0];

/** All elements of a name below an element, in document order. */
export function descendantsOf(element: XmlElement, name: string): XmlElement[] {
  return childrenOf(element).flatMap((c) => [...(c.tagName === name ? [c] : []), ...descendantsOf(c, name)]);
}
