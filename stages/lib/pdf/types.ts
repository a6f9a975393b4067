/** Words for the geometry of a page in reading position: x grows to the right, y grows downwards, both in points. */
import type { Box } from '../../contract.js';

export type { Box };

/** A run of glyphs of one size on one baseline, without a gap that could be a space. */
export interface Piece {
  readonly text: string;
  readonly x0: number;
  readonly x1: number;
  /** The line its glyphs stand on. */
  readonly base: number;
  readonly size: number;
  readonly font: string;
  /** False when a glyph has no known character. */
  readonly is_mapped: boolean;
  /** True when the font leaves a glyph's character in doubt. */
  readonly is_doubtful: boolean;
}

/** A piece in its line: what is raised keeps the baseline of the text that it belongs to. */
export interface Placed extends Piece {
  readonly line: number;
  readonly raised: 'no' | 'super' | 'sub';
}

/** A horizontal (`at` is y) or vertical (`at` is x) rule from `from` to `to`. */
export interface Rule {
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly thickness: number;
  /** Where the strokes that make up the rule meet: printers draw them cell by cell. */
  readonly breaks: readonly number[];
}

export interface Rules {
  readonly across: readonly Rule[];
  readonly down: readonly Rule[];
}

/** Top of the letters of a piece. */
export const top = (p: { readonly base: number; readonly size: number }): number => p.base - 0.74 * p.size;
/** Bottom of the letters of a piece, descenders included. */
export const bottom = (p: { readonly base: number; readonly size: number }): number => p.base + 0.22 * p.size;

/** The middle value of a list (the lower of two); 0 for an empty one. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
