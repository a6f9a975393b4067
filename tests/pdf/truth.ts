/** The cell truth of the seven ICDAR 2013 documents, and the expected cells of the EPA page. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOMParser } from 'linkedom';
import Papa from 'papaparse';
import type { Box } from '../../stages/contract.js';
import { PDF_TABLES } from '../support/pdf-data.js';
import type { ScoredCell, ScoredTable } from './adjacency.js';

export const WITH_TRUTH = ['eu-001', 'eu-018', 'us-001', 'us-012', 'us-024', 'us-025', 'us-035a'] as const;

/** What is used of an XML element. */
interface Xml {
  readonly textContent: string | null;
  getAttribute(name: string): string | null;
  querySelector(selector: string): Xml | null;
  querySelectorAll(selector: string): Iterable<Xml>;
}

const parseXml = (file: string): Xml =>
  new DOMParser().parseFromString(readFileSync(join(PDF_TABLES, file), 'utf8'), 'text/xml') as unknown as Xml;

/** Tables with their cells; the regions of a table are put together by their column and row increments. */
export function truthTables(name: string): ScoredTable[] {
  const document = parseXml(`${name}-str.xml`);
  return [...document.querySelectorAll('table')].map((table) => {
    const regions = [...table.querySelectorAll('region')];
    return {
      page: Number(regions[0]!.getAttribute('page')),
      cells: regions.flatMap((r) => {
        const [dr, dc] = [Number(r.getAttribute('row-increment')), Number(r.getAttribute('col-increment'))];
        return [...r.querySelectorAll('cell')].map((c) => cellOf(c, dr, dc));
      }),
    };
  });
}

function cellOf(c: Xml, dr: number, dc: number): ScoredCell {
  const number = (name: string): number | null => {
    const v = c.getAttribute(name);
    return v === null || v === '' ? null : Number(v);
  };
  const [row, col] = [number('start-row')!, number('start-col')!];
  return {
    row: row + dr,
    col: col + dc,
    row_span: (number('end-row') ?? row) - row + 1,
    col_span: (number('end-col') ?? col) - col + 1,
    text: c.querySelector('content')?.textContent ?? '',
  };
}

/** The regions of the tables, in points of the page. */
export function truthRegions(name: string): { page: number; box: Box }[] {
  const document = parseXml(`${name}-reg.xml`);
  return [...document.querySelectorAll('table')].map((t) => {
    const region = t.querySelector('region')!;
    const b = t.querySelector('bounding-box')!;
    const n = (k: string): number => Number(b.getAttribute(k));
    return {
      page: Number(region.getAttribute('page')),
      box: [
        Math.min(n('x1'), n('x2')),
        Math.min(n('y1'), n('y2')),
        Math.max(n('x1'), n('x2')),
        Math.max(n('y1'), n('y2')),
      ],
    };
  });
}

/** The EPA page as another program reads it: its two tables, read from one list of rows. */
export function epaTables(): ScoredTable[] {
  const lines = parseRows(readFileSync(join(PDF_TABLES, 'epa-spanning-cells.expected.csv'), 'utf8'));
  const second = lines.findIndex((l) => l[0] === 'All alternative scenarios');
  return [lines.slice(0, second), lines.slice(second)].map((rows) => ({
    page: 1,
    cells: rows.flatMap((row, r) => {
      const isBanner = row.slice(1).every((t) => t === '');
      return row.flatMap((text, c) =>
        text === '' ? [] : [{ row: r, col: c, row_span: 1, col_span: isBanner ? row.length : 1, text }],
      );
    }),
  }));
}

const parseRows = (text: string): string[][] => Papa.parse<string[]>(text.trim(), { delimiter: ',' }).data;
