/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';

const isAskedFor = (folder: string) => process.argv.some((argument) => argument.includes(folder));
/** Walks and crash matrices take minutes, the real agents 800 MB: they run when they are asked for by name. */
const APART = ['tests/walks', 'tests/poller', 'tests/crashes', 'tests/agents'];

const config: Config = {
  // Walks start whole fleets: they check for processes that are left behind themselves.
  testEnvironment: `<rootDir>/tests/support/${APART.some(isAskedFor) ? 'quick' : 'leak-checking'}-environment.cjs`,
  roots: ['<rootDir>/packages', '<rootDir>/apps', '<rootDir>/tests'],
  testMatch: ['**/src/**/*.test.ts', '<rootDir>/tests/**/*.test.ts'],
  modulePathIgnorePatterns: ['/dist/'],
  testPathIgnorePatterns: [
    '/node_modules/',
    ...APART.filter((folder) => !isAskedFor(folder)).map((folder) => `/${folder}/`),
  ],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  moduleNameMapper: {
    '^@mergexo/([^/]+)$': ['<rootDir>/packages/$1/src/index.ts', '<rootDir>/apps/$1/src/index.ts'],
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  globalSetup: '<rootDir>/tests/support/temporary-files.cjs',
  reporters: ['default', '<rootDir>/tests/support/report-skips.cjs'],
  testSequencer: '<rootDir>/tests/support/long-first.cjs',
  // For what never ends: who passes does not wait. `MERGEXO_TEST_PATIENCE=2` waits twice as long for everything.
  testTimeout: 300_000 * Number(process.env['MERGEXO_TEST_PATIENCE'] ?? 1),
  // Most of the time is spent waiting for processes, not computing.
  maxWorkers: 4,
  // A suite's modules stay in memory. Large workers start processes slowly: Linux copies their page tables each time.
  workerIdleMemoryLimit: '300MB',
};

export default config;
