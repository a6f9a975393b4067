/** Words, numbers and tables of a report page. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it may stand in HTML, in attributes too. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (c) => ENTITIES[c]!);

/** An integer with thin spaces between thousands, or the words of a masked count. */
export const number = (n: number | string): string =>
  typeof n === 'string' ? n : String(n).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');

/** A share in percent with one decimal; `masked` when it is not told. */
export const percent = (share: number | null): string =>
  share === null ? 'masked' : `${(100 * share).toFixed(1)} %`;

/** A distance with four decimals. */
export const decimal = (x: number | null): string => (x === null ? '–' : x.toFixed(4));

/** Shortens a long title for an axis. */
export const clip = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).trimEnd()}…`;

export type Cell = string | { readonly n: string };

/** A table with a caption; cells that are numbers (`{ n }`) are set to the right. */
export function table(
  caption: string,
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
): string {
  const right = header.map((_, i) => rows.length > 0 && rows.every((r) => typeof r[i] === 'object'));
  const cells = (row: readonly Cell[]): string =>
    row
      .map((c, i) => {
        const text = escapeHtml(typeof c === 'object' ? c.n : c);
        if (i === 0) return `<th scope="row"${right[0] ? ' class="n"' : ''}>${text}</th>`;
        return `<td${right[i] ? ' class="n"' : ''}>${text}</td>`;
      })
      .join('');
  return `<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(caption)}"><table><caption>${escapeHtml(caption)}</caption><thead><tr>${header
    .map((h, i) => `<th scope="col"${right[i] ? ' class="n"' : ''}>${escapeHtml(h)}</th>`)
    .join(
      '',
    )}</tr></thead><tbody>${rows.map((r) => `<tr>${cells(r)}</tr>`).join('\n')}</tbody></table></div>`;
}

/** A table behind a summary line: the numbers of a chart. */
export const details = (summary: string, content: string): string =>
  `<details><summary>${escapeHtml(summary)}</summary>${content}</details>`;

/** A chart with its sentence. */
export const figure = (content: string, caption: string): string =>
  `<figure>${content}<figcaption>${escapeHtml(caption)}</figcaption></figure>`;
