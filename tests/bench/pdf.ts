/** The case of the PDF tables: scores first, seconds beside them. */
import { hasPdfTables } from '../support/pdf-data.js';
import type { BenchCase } from './case.js';
import type { PdfResult, PeerResult } from './pdf-product.js';
import { productSide } from './sides.js';

const PRODUCT = 'find-tables';
const PEER = 'pdf-parse';
/** Mean F1 end to end that the documents should reach. */
const TARGET = 0.9;

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
const f = (value: number): string => value.toFixed(3);

/** Seven documents with cell truth and the EPA page; null where they do not lie beside the project. */
export function pdfCase(): BenchCase | null {
  if (!hasPdfTables()) return null;
  return {
    name: 'PDF tables',
    products: { [PRODUCT]: () => productSide('./pdf-product.js', 'findAll', {}) },
    peers: { [PEER]: () => productSide('./pdf-product.js', 'peerAll', {}) },
    comparisons: [{ measure: 'total', product: PRODUCT, peer: PEER }],
    check: async (results) => {
      const reached = mean((results[PRODUCT] as PdfResult).documents.map((d) => d.end_to_end.f1));
      return reached >= TARGET ? null : `mean F1 ${f(reached)} is under ${TARGET}`;
    },
    notes: async (results) => describe(results[PRODUCT] as PdfResult, results[PEER] as PeerResult),
  };
}

function describe(product: PdfResult, peer: PeerResult): string[] {
  const lines = product.documents.map((d) => {
    const { precision, recall, f1 } = d.end_to_end;
    const other = peer.documents.find((p) => p.name === d.name)!;
    return `${d.name}: P ${f(precision)} R ${f(recall)} F1 ${f(f1)}, structure alone F1 ${f(d.structure.f1)}, pdf-parse F1 ${f(other.f1)}`;
  });
  const all = mean(product.documents.map((d) => d.end_to_end.f1));
  const structure = mean(product.documents.map((d) => d.structure.f1));
  return [
    'adjacency relations, whitespace removed, no regions given, one parameter set',
    ...lines,
    `mean: F1 ${f(all)}, structure alone F1 ${f(structure)}, pdf-parse F1 ${f(mean(peer.documents.map((d) => d.f1)))}`,
    `epa-spanning-cells, apart: F1 ${f(product.epa.f1)}, pdf-parse F1 ${f(peer.epa.f1)}`,
  ];
}
