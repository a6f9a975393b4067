/** Follows the operators of a page and notes every glyph and every painted path with all matrices applied. */
import type { Box, PdfGlyph, PdfShape } from '../../../stages/contract.js';
import { asMatrix, multiply } from './pdf-matrix.js';
import { type Subpath, shapesOf, subpaths } from './pdf-paths.js';
import { boxOf, enterForm, type FontFacts, type GraphicsState, intersect, startState } from './pdf-state.js';
import { type CodedGlyph, markDoubtful, type RawGlyph, TextCursor } from './pdf-text.js';

/** Operators by name, with their operands, as the library lists them; `constructPath` has a name as first operand. */
export interface Operator {
  readonly name: string;
  readonly args: readonly unknown[];
}

export interface PageSource {
  readonly view: Box;
  readonly operators: Iterable<Operator>;
  font(name: string): FontFacts;
  /** False for content of a layer that is switched off. */
  isLayerVisible(properties: unknown): boolean;
}

export interface PageInk {
  readonly glyphs: PdfGlyph[];
  readonly shapes: PdfShape[];
  readonly images_n: number;
}

/** How each painting operator ends a path. */
const PAINT: Readonly<Record<string, { isFilled: boolean; isStroked: boolean; isClosed?: boolean }>> = {
  stroke: { isFilled: false, isStroked: true },
  closeStroke: { isFilled: false, isStroked: true, isClosed: true },
  fill: { isFilled: true, isStroked: false },
  eoFill: { isFilled: true, isStroked: false },
  fillStroke: { isFilled: true, isStroked: true },
  eoFillStroke: { isFilled: true, isStroked: true },
  closeFillStroke: { isFilled: true, isStroked: true, isClosed: true },
  closeEOFillStroke: { isFilled: true, isStroked: true, isClosed: true },
  endPath: { isFilled: false, isStroked: false },
};

/** Interprets a page. Throws an Error on an operand that the pinned library version does not give. */
export function readInk(source: PageSource): PageInk {
  const walker = new Walker(source);
  for (const { name, args } of source.operators) walker.step(name, args);
  return walker.ink();
}

type Handler = (args: readonly unknown[]) => void;

class Walker {
  private state: GraphicsState;
  private readonly stack: GraphicsState[] = [];
  private readonly layers: boolean[] = [];
  private readonly cursor = new TextCursor();
  private readonly glyphs: CodedGlyph[] = [];
  private readonly shapes: PdfShape[] = [];
  private images = 0;
  private isClipPending = false;
  private readonly handlers: Readonly<Record<string, Handler>>;
  private readonly source: PageSource;

  constructor(source: PageSource) {
    this.source = source;
    this.state = startState(source.view);
    this.handlers = { ...this.graphics(), ...this.colors(), ...this.text(), ...this.structure() };
  }

  step(name: string, args: readonly unknown[]): void {
    if (/^paint.*Image/.test(name)) this.images++;
    this.handlers[name]?.(args);
  }

  ink(): PageInk {
    return { glyphs: markDoubtful(this.glyphs), shapes: this.shapes, images_n: this.images };
  }

  private set(change: Partial<GraphicsState>): void {
    this.state = { ...this.state, ...change };
  }

  private graphics(): Record<string, Handler> {
    return {
      save: () => void this.stack.push(this.state),
      restore: () => {
        this.state = this.stack.pop() ?? this.state;
      },
      transform: (args) => this.set({ ctm: multiply(this.state.ctm, asMatrix(args as number[])) }),
      setLineWidth: ([width]) => this.set({ lineWidth: width as number }),
      setGState: ([entries]) => this.setMany(entries as readonly [string, unknown][]),
      clip: () => {
        this.isClipPending = true;
      },
      eoClip: () => {
        this.isClipPending = true;
      },
      constructPath: ([operator, data]) =>
        this.path(operator as string, (data as (ArrayLike<number> | null)[])[0]),
    };
  }

  private setMany(entries: readonly [string, unknown][]): void {
    for (const [key, value] of entries) {
      if (key === 'LW') this.set({ lineWidth: value as number });
      if (key === 'Font') this.setFont((value as unknown[])[0] as string, (value as unknown[])[1] as number);
    }
  }

  private colors(): Record<string, Handler> {
    return {
      setFillRGBColor: ([color]) => this.set({ fill: color as string }),
      setStrokeRGBColor: ([color]) => this.set({ stroke: color as string }),
      setFillColorN: () => this.set({ fill: 'pattern' }),
      setStrokeColorN: () => this.set({ stroke: 'pattern' }),
      setFillTransparent: () => this.set({ fill: 'none' }),
      setStrokeTransparent: () => this.set({ stroke: 'none' }),
    };
  }

  private text(): Record<string, Handler> {
    const number = (key: keyof GraphicsState, factor = 1): Handler => {
      return ([value]) => this.set({ [key]: (value as number) * factor });
    };
    return {
      beginText: () => this.cursor.begin(),
      setCharSpacing: number('charSpacing'),
      setWordSpacing: number('wordSpacing'),
      setHScale: number('horizontalScale', 0.01),
      setLeading: number('leading'),
      setTextRise: number('rise'),
      setTextRenderingMode: number('renderingMode'),
      setFont: ([name, size]) => this.setFont(name as string, size as number),
      setTextMatrix: ([matrix]) => this.cursor.setMatrix(asMatrix(matrix as number[])),
      moveText: ([x, y]) => this.cursor.move(x as number, y as number),
      setLeadingMoveText: ([x, y]) => {
        this.set({ leading: -(y as number) });
        this.cursor.move(x as number, y as number);
      },
      nextLine: () => this.cursor.move(0, -this.state.leading),
      showText: ([run]) => this.show(run as (RawGlyph | number)[]),
    };
  }

  private structure(): Record<string, Handler> {
    const enter = (matrix: unknown, box: unknown): void => {
      this.stack.push(this.state);
      this.state = enterForm(this.state, asMatrix(matrix as number[]), box as number[] | null);
    };
    const leave = (): void => {
      this.state = this.stack.pop() ?? this.state;
    };
    return {
      paintFormXObjectBegin: ([matrix, box]) => enter(matrix, box),
      paintFormXObjectEnd: leave,
      beginGroup: ([group]) =>
        enter((group as { matrix: unknown }).matrix, (group as { bbox: unknown }).bbox),
      endGroup: leave,
      beginAnnotation: ([, , transform, matrix]) => {
        this.stack.push(this.state);
        this.state = startState(this.source.view);
        this.state = enterForm(
          this.state,
          multiply(asMatrix(transform as number[]), asMatrix(matrix as number[])),
          null,
        );
      },
      endAnnotation: leave,
      beginMarkedContent: () => void this.layers.push(true),
      beginMarkedContentProps: ([tag, properties]) =>
        void this.layers.push(tag !== 'OC' || this.source.isLayerVisible(properties)),
      endMarkedContent: () => void this.layers.pop(),
    };
  }

  private setFont(name: string, size: number): void {
    this.set({ font: this.source.font(name), fontSize: size });
  }

  private show(run: readonly (RawGlyph | number)[]): void {
    const glyphs = this.cursor.show(run, this.state);
    if (this.layers.every(Boolean)) this.glyphs.push(...glyphs);
  }

  private path(operator: string, data: ArrayLike<number> | null | undefined): void {
    const paint = PAINT[operator];
    const parts: Subpath[] = data ? subpaths(data, this.state.ctm) : [];
    if (paint && this.layers.every(Boolean)) {
      const closed = paint.isClosed ? parts.map((p) => ({ ...p, isClosed: true })) : parts;
      this.shapes.push(...shapesOf(closed, paint, this.state));
    }
    if (this.isClipPending && parts.length > 0)
      this.set({ clip: intersect(this.state.clip, boxOf(parts.flatMap((p) => p.points))) });
    this.isClipPending = false;
  }
}
