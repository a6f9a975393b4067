/** Structured Product Labeling: an XML document of coded sections. */
import { childOf, childrenOf, descendantsOf, type XmlElement, xmlProblem, xmlTree } from '../lib/xml.js';
import { gridOf } from './grid.js';
import {
  headingOf,
  type Label,
  LabelDamage,
  type LabelTable,
  labelDate,
  names,
  type Section,
  sectionId,
} from './parsed.js';
import { textOf } from './text.js';

/** `SPL UNCLASSIFIED SECTION`: a code that says there is none. */
const UNCLASSIFIED = '42229-5';

/** Reads one label. A text that is no well-formed SPL document is damage, with line and column. */
export function readSpl(text: string): Label {
  const problem = xmlProblem(text);
  if (problem) {
    throw new LabelDamage({
      message: 'the XML is damaged',
      row: `${problem.line}, column ${problem.column}`,
      got: problem.message,
      expected: 'well-formed XML',
    });
  }
  const root = xmlTree(text);
  const document_id = childOf(root, 'id')?.getAttribute('root');
  const body = childOf(childOf(root, 'component'), 'structuredBody');
  if (root.tagName !== 'document' || !document_id || !body) {
    throw new LabelDamage({
      message: 'the XML is no drug label',
      got: `element ${root.tagName}${document_id ? '' : ' without an id'}${body ? '' : ' without a body'}`,
      expected: 'an SPL document with id and structuredBody',
    });
  }
  const found: Reading = { document_id, sections: [], tables: [] };
  for (const section of sectionsOf(body)) readSection(section, undefined, found);
  return { facts: factsOf(root, document_id), sections: found.sections, tables: found.tables };
}

interface Reading {
  readonly document_id: string;
  readonly sections: Section[];
  readonly tables: LabelTable[];
}

function factsOf(root: XmlElement, document_id: string): Label['facts'] {
  const value = (name: string, attribute: string): string | null =>
    childOf(root, name)?.getAttribute(attribute) || null;
  const title = childOf(root, 'title');
  const products = ['manufacturedProduct', 'manufacturedMedicine'].flatMap((n) => descendantsOf(root, n));
  const nameOf = (element: XmlElement): string => {
    const name = childOf(element, 'name');
    return name ? textOf(name) : '';
  };
  return {
    document_id,
    set_id: value('setId', 'root'),
    version: value('versionNumber', 'value'),
    effective_date: labelDate(value('effectiveTime', 'value')),
    title: (title && textOf(title).replaceAll('\n', ' ')) || null,
    generic_names: names(descendantsOf(root, 'genericMedicine').map(nameOf)),
    brand_names: names(products.map(nameOf)),
  };
}

const sectionsOf = (element: XmlElement): XmlElement[] =>
  childrenOf(element, 'component').flatMap((c) => childrenOf(c, 'section'));

function readSection(element: XmlElement, parent: Section | undefined, found: Reading): void {
  const code = childOf(element, 'code')?.getAttribute('code') ?? null;
  const heading = childOf(element, 'title');
  const body = childOf(element, 'text');
  const own = {
    kind: 'section' as const,
    code: code === UNCLASSIFIED ? null : code,
    ...splitTitle(heading ? textOf(heading).replaceAll('\n', ' ') : ''),
    text: (body && textOf(body)) || null,
  };
  const label = headingOf(own, own.code ?? 'section');
  const section: Section = {
    ...own,
    section_id: sectionId(found.document_id, own, childOf(element, 'id')?.getAttribute('root') ?? ''),
    parent_id: parent?.section_id ?? null,
    path: parent ? `${parent.path} > ${label}` : label,
    fields: null,
  };
  found.sections.push(section);
  if (body) readTables(body, section, found);
  for (const excerpt of childrenOf(element, 'excerpt')) readExcerpt(excerpt, section, found);
  for (const child of sectionsOf(element)) readSection(child, section, found);
}

/** What the highlights in front of the label say about a section. */
function readExcerpt(excerpt: XmlElement, parent: Section, found: Reading): void {
  for (const body of childrenOf(excerpt, 'highlight').flatMap((h) => childrenOf(h, 'text'))) {
    const { code, number, title } = parent;
    const own = { kind: 'highlights' as const, code, number, title, text: textOf(body) || null };
    const section: Section = {
      ...own,
      section_id: sectionId(found.document_id, own, parent.section_id),
      parent_id: parent.section_id,
      path: `${parent.path} > highlights`,
      fields: null,
    };
    found.sections.push(section);
    readTables(body, section, found);
  }
}

function readTables(body: XmlElement, section: Section, found: Reading): void {
  const { section_id, path } = section;
  for (const table of descendantsOf(body, 'table'))
    found.tables.push({ section_id, place: path, grid: gridOf(table) });
}

/** `8.1  Pregnancy` to number and title. */
function splitTitle(text: string): { number: string | null; title: string | null } {
  const m = /^(\d{1,2}(?:\.\d{1,2})*)\.?\s+(\S.*)$/.exec(text);
  return m ? { number: m[1]!, title: m[2]! } : { number: null, title: text || null };
}
