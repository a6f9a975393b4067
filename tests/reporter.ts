/** Prints the closing line that continuous integration counts. */
import type { Reporter, TestModule } from 'vitest/node';
import { isPythonHere } from './support/python.js';

/** Said at the end of every run: tests that ask another implementation name it too. */
const ORACLES = isPythonHere()
  ? 'oracles: scikit-learn and numpy, run now'
  : 'oracles: stored answers, because python3-sklearn and python3-pandas are not installed';

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let failed = errors.length;
    let skipped = 0;
    for (const module of modules) {
      if (module.errors().length > 0) failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed++;
        else if (state === 'failed') failed++;
        else skipped++;
      }
    }
    process.on('exit', () =>
      process.stdout.write(`\n${ORACLES}\ntests: ${passed} passed, ${failed} failed, ${skipped} skipped\n`),
    );
  }
}
