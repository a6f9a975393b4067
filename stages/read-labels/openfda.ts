/** openFDA label JSON: `results` of labels, each with text fields, fields of tables, and ids. */
import { z } from 'zod';
import { canonicalJson } from '../lib/canonical-json.js';
import { xmlProblem, xmlTree } from '../lib/xml.js';
import { gridOf } from './grid.js';
import { type Heading, splitNumbered } from './headings.js';
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

const ID = z.string().regex(/^[\w.-]+$/);

const OpenFda = z.looseObject({
  generic_name: z.array(z.string()).default([]),
  brand_name: z.array(z.string()).default([]),
});

const Result = z
  .object({
    id: ID,
    set_id: ID,
    version: z.string().nullable().default(null),
    effective_time: z.string().nullable().default(null),
    openfda: OpenFda.default({ generic_name: [], brand_name: [] }),
  })
  .catchall(z.array(z.string()));

const File = z.looseObject({ results: z.array(Result).min(1) });

export interface OpenFdaTables {
  readonly headings: readonly Heading[];
  /** Field to LOINC code; null for the unclassified ones. */
  readonly fields: ReadonlyMap<string, string | null>;
}

/** A text field that `openfda-fields.csv` does not know is kept with code null and told through `onUnknown`. */
export function readOpenFda(
  text: string,
  tables: OpenFdaTables,
  onUnknown: (field: string) => void,
): Label[] {
  const parsed = File.safeParse(parseJson(text));
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    throw new LabelDamage({
      message: 'the file is no openFDA label',
      got: `${path.map(String).join('.') || 'the file'}: ${message}`,
      expected: 'results with id, set_id and lists of text',
    });
  }
  return parsed.data.results.map((result) => readResult(result, tables, onUnknown));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    const { message } = error as Error;
    // V8 quotes the text around the place; the place alone is enough.
    const at = /position \d+( \(line \d+ column \d+\))?/.exec(message)?.[0] ?? 'its end';
    throw new LabelDamage({
      message: 'the file is no whole JSON',
      got: `a fault at ${at}`,
      expected: 'JSON',
    });
  }
}

function readResult(
  result: z.infer<typeof Result>,
  tables: OpenFdaTables,
  onUnknown: (field: string) => void,
): Label {
  const { id, set_id, version, effective_time, openfda, ...rest } = result;
  const fields = Object.entries(rest) as [string, string[]][];
  const facts = {
    document_id: id,
    set_id,
    version,
    effective_date: labelDate(effective_time),
    title: null,
    generic_names: names(openfda.generic_name),
    brand_names: names(openfda.brand_name),
  };
  const found = new Map<string, Found>();
  for (const [field, texts] of fields.filter(([f]) => !f.endsWith('_table'))) {
    if (!tables.fields.has(field)) onUnknown(field);
    for (const text of texts) collect(found, field, text, tables);
  }
  return { facts, sections: withIds(id, [...found.values()]), tables: readTables(fields) };
}

interface Found {
  readonly fields: string[];
  readonly number: string | null;
  readonly title: string | null;
  readonly text: string | null;
  code: string | null;
}

/** openFDA files one text under several fields, and a subsection also within its parent: one section, all its fields. */
function collect(found: Map<string, Found>, field: string, text: string, tables: OpenFdaTables): void {
  const own = tables.fields.get(field) ?? null;
  const is_top = tables.headings.some((h) => h.code === own && !h.number.includes('.'));
  for (const { number, title, code, text: body } of splitNumbered(text, tables.headings)) {
    const is_subsection = number?.includes('.') ?? false;
    // The code of `use_in_specific_populations` is not that of a subsection in it.
    const known = code ?? (is_top && is_subsection ? null : own);
    const folded = body?.replace(/\s+/g, ' ') ?? null;
    const key = canonicalJson([number ?? own ?? field, title, folded]);
    const before = found.get(key);
    if (!before) found.set(key, { fields: [field], number, title, code: known, text: folded });
    else {
      before.code ??= known;
      if (!before.fields.includes(field)) before.fields.push(field);
    }
  }
}

function withIds(document_id: string, all: readonly Found[]): Section[] {
  const made = all.map(({ fields, ...section }) => ({
    ...section,
    kind: 'section' as const,
    fields: fields.join(', '),
    section_id: sectionId(document_id, { kind: 'section', ...section }, fields[0]),
  }));
  const top = new Map(made.filter((s) => s.number && !s.number.includes('.')).map((s) => [s.number, s]));
  return made.map((section) => {
    const parent = section.number?.includes('.') ? top.get(section.number.split('.')[0]!) : undefined;
    const own = headingOf(section, section.fields.split(', ')[0]!);
    const path = parent ? `${headingOf(parent, parent.fields)} > ${own}` : own;
    return { ...section, parent_id: parent?.section_id ?? null, path };
  });
}

function readTables(fields: readonly [string, readonly string[]][]): LabelTable[] {
  return fields
    .filter(([field]) => field.endsWith('_table'))
    .flatMap(([field, texts]) =>
      texts.map((text, i) => {
        const problem = xmlProblem(text);
        const tree = problem ? undefined : xmlTree(text);
        if (tree?.tagName !== 'table') {
          throw new LabelDamage({
            message: 'a table of the label is damaged',
            row: `${field} ${i + 1}`,
            got: problem ? `${problem.message} (column ${problem.column})` : `element ${tree?.tagName}`,
            expected: 'a whole table element',
          });
        }
        return { section_id: null, place: field, grid: gridOf(tree) };
      }),
    );
}
