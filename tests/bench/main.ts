/** `make bench` and `make bench-full`: runs the cases, prints one table, writes JSON. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { isPythonHere } from '../support/python.js';
import { casesOf } from './cases.js';
import { cohortReport, FULL } from './cohort-report.js';
import { BENCH_DIR } from './files.js';
import { describeGrowth, measureGrowth } from './growth.js';
import { growthPlot } from './growth-plot.js';
import { blasKernel } from './python.js';
import { runCase } from './run-case.js';
import { formatTable, type Row, rowsOf } from './table.js';

/** What a section adds to the report. `details` goes to the JSON alone. */
interface Section {
  readonly name: string;
  readonly rows: readonly Row[];
  readonly notes: readonly string[];
  readonly failure: string | null;
  readonly details: unknown;
}

/** Progress goes to standard error: the table alone is the output. */
function sayOn(name: string): (text: string) => void {
  const start = Date.now();
  return (text) =>
    void process.stderr.write(`${name}: ${text} (${Math.round((Date.now() - start) / 1000)} s)\n`);
}

async function runCohortSection(): Promise<Section> {
  const name = 'whole cohort';
  const say = sayOn(name);
  const { rows, notes, failure, ...details } = await cohortReport(FULL, say);
  if (failure !== null) return { name, rows, notes, failure, details };
  const growth = await measureGrowth(details.runs, say);
  writeFileSync(join(BENCH_DIR, 'growth.svg'), growthPlot(growth));
  const more = [...describeGrowth(growth), `plot: ${join(BENCH_DIR, 'growth.svg')}`];
  return { name, rows, notes: [...notes, ...more], failure, details: { ...details, growth } };
}

function environment(): Record<string, unknown> {
  const blas = isPythonHere() ? blasKernel() : null;
  return { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, blas };
}

/** The lines below the table. */
function remarks(sections: readonly Section[]): string[] {
  const blas = isPythonHere() ? blasKernel() : null;
  return [
    'seconds are median (least) of the rounds; ratios are peer / product, median of the rounds; * decides the target',
    blas
      ? `the peers' BLAS: ${blas.found}${blas.chosen ? `, replaced by ${blas.chosen}` : ''}`
      : 'peers: python3-sklearn and python3-pandas are not installed',
    ...sections.flatMap((s) => s.notes.map((note) => `${s.name}: ${note}`)),
    ...sections.flatMap((s) => (s.failure === null ? [] : [`${s.name}: FAIL: ${s.failure}`])),
  ];
}

const isFull = process.argv.includes('--full');
const only = new RegExp(process.argv.find((a) => a.startsWith('--only='))?.slice('--only='.length) ?? '');
mkdirSync(BENCH_DIR, { recursive: true });
const sections: Section[] = [];
for (const one of casesOf(isFull).filter((c) => only.test(c.name))) {
  const report = await runCase(one, sayOn(one.name));
  sections.push({ ...report, rows: rowsOf(report), details: report });
}
if (isFull && only.test('whole cohort')) sections.push(await runCohortSection());
const path = join(BENCH_DIR, isFull ? 'bench-full.json' : 'bench.json');
const rows = sections.flatMap((s) => s.rows);
writeFileSync(path, `${JSON.stringify({ environment: environment(), rows, sections }, null, 1)}\n`);
process.stdout.write(`${[formatTable(rows), ...remarks(sections), path].join('\n')}\n`);
process.exitCode = sections.some((s) => s.failure !== null) ? 1 : 0;
