/** Glyphs of a page with their places, from the operands of the text operators. */
import type { PdfGlyph } from '../../../stages/contract.js';
import { apply, IDENTITY, type Matrix, multiply } from './pdf-matrix.js';
import type { GraphicsState } from './pdf-state.js';

/** A glyph as the library hands it over. */
export interface RawGlyph {
  readonly unicode: string;
  readonly width: number;
  readonly isSpace: boolean;
  readonly originalCharCode: number;
}

/** A glyph with what tells whether its character is doubtful. */
export interface CodedGlyph extends PdfGlyph {
  readonly code: number;
  /** Advance in thousandths of the em. */
  readonly advance: number;
}

/** Rendering modes 3 (nothing) and 7 (clip only) leave no ink. */
const INVISIBLE = new Set([3, 7]);

/** Where the pen is inside a text object. */
export class TextCursor {
  private matrix: Matrix = IDENTITY;
  private x = 0;
  private y = 0;
  private lineX = 0;
  private lineY = 0;

  begin(): void {
    this.setMatrix(IDENTITY);
  }

  setMatrix(matrix: Matrix): void {
    this.matrix = matrix;
    this.x = this.y = this.lineX = this.lineY = 0;
  }

  move(dx: number, dy: number): void {
    this.x = this.lineX += dx;
    this.y = this.lineY += dy;
  }

  /** Prints a run: numbers move the pen back by thousandths of the font size. */
  show(run: readonly (RawGlyph | number)[], state: GraphicsState): CodedGlyph[] {
    const { font, fontSize } = state;
    if (!font || fontSize === 0) return [];
    const toPage = multiply(state.ctm, this.matrix);
    const [ox, oy] = apply(toPage, 0, 0);
    const [ux, uy] = apply(toPage, 0, fontSize);
    const size = Math.hypot(ux - ox, uy - oy);
    const out: CodedGlyph[] = [];
    for (const one of run) {
      if (typeof one === 'number') {
        this.advance((-one * fontSize) / 1000, state);
        continue;
      }
      const ink = one.width * font.widthScale * fontSize;
      const [x0, y0] = apply(toPage, this.x, this.y + state.rise);
      const [dx, dy] = font.isVertical ? [0, -fontSize] : [ink * state.horizontalScale, 0];
      const [x1, y1] = apply(toPage, this.x + dx, this.y + state.rise + dy);
      out.push(glyph(one, { x0, y0, x1, y1 }, size, state));
      this.advance((font.isVertical ? -fontSize : ink) + spacing(one, state), state);
    }
    return out;
  }

  private advance(by: number, state: GraphicsState): void {
    if (state.font?.isVertical) this.y += by;
    else this.x += by * state.horizontalScale;
  }
}

const spacing = (g: RawGlyph, s: GraphicsState): number => s.charSpacing + (g.isSpace ? s.wordSpacing : 0);

/** False for control characters, private use and the replacement character: the font does not say what the glyph is. */
function isMapped(text: string): boolean {
  return (
    text !== '' &&
    [...text].every((c) => {
      const code = c.codePointAt(0)!;
      const isControl = (code < 0x20 && c.trim() !== '') || (code >= 0x7f && code < 0xa0);
      return !isControl && code !== 0xfffd && !(code >= 0xe000 && code <= 0xf8ff);
    })
  );
}

/** True when the middle of the glyph lies in what is left of the page after clipping. */
function isUnclipped(
  at: { x0: number; y0: number; x1: number; y1: number },
  size: number,
  { clip, ctm }: GraphicsState,
): boolean {
  const [dx, dy] = [at.x1 - at.x0, at.y1 - at.y0];
  const length = Math.hypot(dx, dy) || 1;
  const side = ctm[0] * ctm[3] - ctm[1] * ctm[2] < 0 ? -1 : 1;
  const x = (at.x0 + at.x1) / 2 - (dy / length) * 0.3 * size * side;
  const y = (at.y0 + at.y1) / 2 + (dx / length) * 0.3 * size * side;
  return x >= clip[0] && x <= clip[2] && y >= clip[1] && y <= clip[3];
}

function glyph(
  raw: RawGlyph,
  at: { x0: number; y0: number; x1: number; y1: number },
  size: number,
  state: GraphicsState,
): CodedGlyph {
  return {
    text: raw.unicode,
    ...at,
    size,
    font: state.font!.name,
    is_visible: !INVISIBLE.has(state.renderingMode & 7) && isUnclipped(at, size, state),
    is_mapped: isMapped(raw.unicode),
    is_doubtful: false,
    code: raw.originalCharCode,
    advance: raw.width,
  };
}

/** Widths that differ by more than this share are those of different letters. */
const OTHER_WIDTH = 0.08;

/**
 * Marks the glyphs whose character the font gives to several codes of different widths, the code in most use left out:
 * a ligature that the font calls by its last letter loses letters without a sign.
 */
export function markDoubtful(glyphs: readonly CodedGlyph[]): PdfGlyph[] {
  const codes = new Map<string, Map<number, { n: number; advance: number }>>();
  for (const g of glyphs) {
    const key = `${g.font} ${g.text}`;
    const known = codes.get(key) ?? new Map<number, { n: number; advance: number }>();
    codes.set(key, known.set(g.code, { n: (known.get(g.code)?.n ?? 0) + 1, advance: g.advance }));
  }
  return glyphs.map(({ code, advance, ...g }) => {
    const known = codes.get(`${g.font} ${g.text}`)!;
    const usual = [...known.values()].reduce((a, b) => (b.n > a.n ? b : a));
    const isOther = Math.abs(advance - usual.advance) > OTHER_WIDTH * Math.max(advance, usual.advance);
    return { ...g, is_doubtful: g.text.trim() !== '' && known.size > 1 && isOther };
  });
}
