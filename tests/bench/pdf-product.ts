/** Tables of the PDF documents with cell truth: the product's and pdf-parse's, scored the same way. */

import type { Measures } from '../pdf/adjacency.js';
import { type DocumentScore, scoreEpa, scorePeer, scoreProduct } from '../pdf/score.js';
import { WITH_TRUTH } from '../pdf/truth.js';
import type { Run } from './child.js';

export interface PdfResult {
  readonly documents: readonly DocumentScore[];
  readonly epa: Measures;
}

export interface PeerResult {
  readonly documents: readonly ({ readonly name: string } & Measures)[];
  readonly epa: Measures;
}

/** The product: reads and finds, end to end and with regions given. */
export function findAll(): Run {
  return async () => {
    const documents: DocumentScore[] = [];
    for (const name of WITH_TRUTH) documents.push(await scoreProduct(name));
    return { documents, epa: (await scoreEpa()).product } satisfies PdfResult;
  };
}

/** pdf-parse's own table call. */
export function peerAll(): Run {
  return async () => {
    const documents: PeerResult['documents'][number][] = [];
    for (const name of WITH_TRUTH) documents.push({ name, ...(await scorePeer(name)) });
    return { documents, epa: (await scoreEpa()).peer } satisfies PeerResult;
  };
}
