/** The tables of raw/mimic/synthetic about radiology: what a film of a condition says, and how reports are laid out. */
import { type CsvRecord, parseCsv } from '../lib/csv.js';
import type { Choice } from './numbers.js';

const FOLDER = 'raw/mimic/synthetic';

/** Files about radiology. */
export const RADIOLOGY_FILES = ['radiology_templates', 'radiology_formats'].map(
  (name) => `${FOLDER}/${name}.csv`,
);

/** The layout that the other ones of radiology_formats.csv differ from. */
export const STANDARD_LAYOUT = 'FINDINGS + IMPRESSION';

/** What an examination shows in a condition; `*` is the normal film. */
export interface Template {
  readonly dxKey: string;
  readonly examName: string;
  readonly modality: string;
  readonly findings: string;
  readonly impression: string;
}

export interface Radiology {
  /** Several wordings of one condition follow each other. */
  readonly templates: ReadonlyMap<string, readonly Template[]>;
  readonly layouts: readonly Choice[];
}

/** Reads both tables; `file` returns the text of a declared file. */
export function readRadiology(file: (path: string) => string): Radiology {
  const table = (name: string): CsvRecord[] => parseCsv(file(`${FOLDER}/${name}.csv`), `${name}.csv`);
  const templates = new Map<string, Template[]>();
  for (const r of table('radiology_templates')) {
    const t: Template = {
      dxKey: r.dx_key!,
      examName: r.exam_name!,
      modality: r.modality!,
      findings: r.findings!,
      impression: r.impression!,
    };
    templates.set(t.dxKey, [...(templates.get(t.dxKey) ?? []), t]);
  }
  return {
    templates,
    layouts: table('radiology_formats').map((r) => ({ value: r.format!, weight: Number(r.share) })),
  };
}

/** Chest films show every condition of the chest at once; all other examinations are made for one condition. */
export const isChestFilm = (t: Template): boolean => /^CHEST/.test(t.examName);
