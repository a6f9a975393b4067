/** `make bench` and `make bench-full`: runs the cases, prints one table, writes JSON. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { isPythonHere } from '../support/python.js';
import { casesOf } from './cases.js';
import { blasKernel } from './python.js';
import { type CaseReport, runCase } from './run-case.js';
import { formatTable, rowsOf } from './table.js';

/** Progress goes to standard error: the table alone is the output. */
function sayOn(name: string): (text: string) => void {
  const start = Date.now();
  return (text) =>
    void process.stderr.write(`${name}: ${text} (${Math.round((Date.now() - start) / 1000)} s)\n`);
}

function environment(): Record<string, unknown> {
  const blas = isPythonHere() ? blasKernel() : null;
  return { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, blas };
}

const isFull = process.argv.includes('--full');
const only = process.argv.find((a) => a.startsWith('--only='))?.slice('--only='.length);
const reports: CaseReport[] = [];
for (const one of casesOf(isFull).filter((c) => !only || new RegExp(only).test(c.name))) {
  const report = await runCase(one, sayOn(one.name));
  reports.push(report);
}
const rows = reports.flatMap(rowsOf);
mkdirSync('build/bench', { recursive: true });
const path = `build/bench/${isFull ? 'bench-full' : 'bench'}.json`;
writeFileSync(path, `${JSON.stringify({ environment: environment(), rows, reports }, null, 1)}\n`);
const notes = reports.flatMap((r) => r.notes.map((note) => `${r.name}: ${note}`));
const failures = reports.flatMap((r) => (r.failure === null ? [] : [`${r.name}: FAIL: ${r.failure}`]));
process.stdout.write(`${[formatTable(rows), ...notes, ...failures, path].join('\n')}\n`);
process.exitCode = reports.some((r) => r.failure !== null) ? 1 : 0;
