import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts', 'stages/**/*.test.ts'],
    environment: 'node',
    globalSetup: ['tests/support/run-folder.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 300_000,
    reporters: ['default', './tests/reporter.ts'],
    env: { TZ: 'UTC' },
  },
});
