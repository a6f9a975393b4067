/** Markdown that every card is made of; the tables are written from the manifest. */
import type { ReleaseFile, ReleaseManifest } from '../../../schemas/release.js';

/** A Markdown list. */
export const bullets = (lines: readonly string[]): string => lines.map((l) => `- ${l}`).join('\n');

const cell = (value: string | number): string => String(value).replaceAll('|', '\\|').replaceAll('\n', ' ');

/** A Markdown table; numbers are set to the right. */
export function markdownTable(
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const numeric = header.map((_, i) => rows.length > 0 && rows.every((r) => typeof r[i] === 'number'));
  const line = (cells: readonly (string | number)[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(header), line(numeric.map((n) => (n ? '---:' : '---'))), ...rows.map(line)].join('\n');
}

/** Columns of the question or answer files, as they stand in the manifest; all configs have the same ones. */
export function fieldTable(manifest: ReleaseManifest, role: ReleaseFile['role']): string {
  const file = manifest.files.find((f) => f.role === role && f.format === 'parquet');
  if (!file) throw new Error(`the manifest lists no ${role} file`);
  return markdownTable(
    ['column', 'type', 'may be null', 'meaning'],
    file.columns.map((c) => [`\`${c.name}\``, c.type, c.is_nullable ? 'yes' : 'no', c.description]),
  );
}

/** Stages with version and settings. */
export function stageTable(manifest: ReleaseManifest): string {
  const rows = manifest.stages.map((s) => [
    `\`${s.name}\``,
    s.version,
    s.summary,
    `\`${JSON.stringify(s.config)}\``,
  ]);
  return `Profile \`${manifest.profile}\`, seed ${manifest.seed}, benchwright ${manifest.tool_version}. Stages in order:

${markdownTable(['stage', 'version', 'what it does', 'settings'], rows)}`;
}

/** Every file that the manifest lists. */
export function fileTable(manifest: ReleaseManifest): string {
  return markdownTable(
    ['file', 'role', 'rows', 'bytes'],
    manifest.files.map((f) => [`\`${f.path}\``, f.role, f.rows ?? '', f.bytes]),
  );
}
