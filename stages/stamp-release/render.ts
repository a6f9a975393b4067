/** Turns one feature vector and one candidate diagnosis into a prompt. It has no access to labels. */
import type { FeatureName } from '../lib/feature-names.js';
import { displayValue } from '../lib/feature-names.js';
import type { Feature } from '../lib/registry.js';

export interface RenderedRecord {
  readonly text: string;
  /** Values whose shown text is not the exact value. */
  readonly rounded_n: number;
  readonly missing_n: number;
}

export interface PromptRenderer {
  /** The record of one stay: 448 lines in sections. `values` are in registry order, NaN or null where not measured. */
  record(values: ArrayLike<number | null>): RenderedRecord;
  /** The whole prompt for a candidate diagnosis. */
  prompt(candidate: { dx_code: string; title: string }, record: string): string;
}

/** Binds the prompt text, the names and the registry. */
export function createRenderer(
  template: string,
  names: readonly FeatureName[],
  features: readonly Feature[],
): PromptRenderer {
  const sections = groupByHeading(names);
  return {
    record: (values) => renderRecord(sections, features, values),
    prompt: (candidate, record) => fill(template, { candidate: nameOf(candidate), record }),
  };
}

type Line = FeatureName & { index: number };

/** Sections in the order of their first feature, lines in registry order. */
function groupByHeading(names: readonly FeatureName[]): Map<string, Line[]> {
  const sections = new Map<string, Line[]>();
  names.forEach((n, index) => {
    const lines = sections.get(n.heading) ?? [];
    lines.push({ ...n, index });
    sections.set(n.heading, lines);
  });
  return sections;
}

function renderRecord(
  sections: Map<string, Line[]>,
  features: readonly Feature[],
  values: ArrayLike<number | null>,
): RenderedRecord {
  if (values.length !== features.length)
    throw new RangeError(`a record has ${features.length} values, got ${values.length}`);
  let rounded_n = 0;
  let missing_n = 0;
  const parts: string[] = [];
  for (const [heading, lines] of sections) {
    parts.push(`\n## ${heading}`);
    for (const { index, name, decimals } of lines) {
      const value = values[index] ?? null;
      const shown = displayValue(value, features[index]!.scale, decimals);
      if (shown.is_rounded) rounded_n++;
      if (value === null || Number.isNaN(value)) missing_n++;
      parts.push(`- ${name}: ${shown.text}`);
    }
  }
  return { text: parts.join('\n').trimStart(), rounded_n, missing_n };
}

/** `Pneumonia, unspecified organism (ICD-10-CM J18)`; labels without an ICD-10 target are named `ICD9:486`. */
function nameOf(candidate: { dx_code: string; title: string }): string {
  const icd9 = /^ICD9:(.+)$/.exec(candidate.dx_code);
  const code = icd9 ? `ICD-9-CM ${icd9[1]}` : `ICD-10-CM ${candidate.dx_code}`;
  return `${candidate.title} (${code})`;
}

/** Fills every `{{slot}}` once, in one pass, so that filled text is never read as a slot. */
function fill(template: string, slots: Record<string, string>): string {
  const used = new Set<string>();
  const text = template.trimEnd().replace(/\{\{(\w+)\}\}/g, (_, slot: string) => {
    if (!(slot in slots)) throw new Error(`the prompt has an unknown slot {{${slot}}}`);
    used.add(slot);
    return slots[slot]!;
  });
  const missing = Object.keys(slots).filter((s) => !used.has(s));
  if (missing.length > 0) throw new Error(`the prompt lacks the slot {{${missing.join('}}, {{')}}}`);
  return text;
}
