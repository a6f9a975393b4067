/** Small CSV tables of our own (registry, rules, code lists): whole strings, declared dialect, strict. */
import Papa from 'papaparse';

/** One record, every value as the text that stands in the file. */
export type CsvRecord = Record<string, string>;

/** Parses a CSV text with a header; lines end in LF or CRLF; ragged rows, bad quotes and repeated headers are errors with file and line. */
export function parseCsv(text: string, file: string): CsvRecord[] {
  const parsed = Papa.parse<CsvRecord>(text.replaceAll('\r\n', '\n'), {
    header: true,
    delimiter: ',',
    newline: '\n',
    quoteChar: '"',
    escapeChar: '"',
    dynamicTyping: false,
    skipEmptyLines: 'greedy',
  });
  const [error] = parsed.errors;
  if (error) throw new Error(`${file}, line ${(error.row ?? 0) + 2}: ${error.message}`);
  const renamed = (parsed.meta as { renamedHeaders?: Record<string, string> | null }).renamedHeaders;
  if (renamed && Object.keys(renamed).length > 0) {
    throw new Error(`${file}: column ${Object.values(renamed).join(', ')} stands twice in the header`);
  }
  return parsed.data;
}
