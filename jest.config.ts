/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';

const isRequested = (path: string) => process.argv.some((argument) => argument.includes(path));
/** Walks, crash matrices and attacks take minutes, the real agents need 800 MB: they run only if you name them. */
const ON_REQUEST = [
  'tests/walks',
  'tests/poller',
  'tests/crashes',
  'tests/agents',
  '.walk.test',
  '.attack.test',
];

const config: Config = {
  testEnvironment: '<rootDir>/tests/jest/leak-checking-environment.cjs',
  roots: ['<rootDir>/packages', '<rootDir>/apps', '<rootDir>/tests'],
  testMatch: ['**/src/**/*.test.ts', '<rootDir>/tests/**/*.test.ts'],
  modulePathIgnorePatterns: ['/dist/'],
  testPathIgnorePatterns: [
    '/node_modules/',
    ...ON_REQUEST.filter((path) => !isRequested(path)).map((path) => path.replaceAll('.', '\\.')),
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
    '^@mergexo/core/(?!mergexo-cli$)(.+)$': '<rootDir>/packages/core/src/$1/index.ts',
    '^@mergexo/([^/]+)$': ['<rootDir>/packages/$1/src/index.ts', '<rootDir>/apps/$1/src/index.ts'],
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  globalSetup: '<rootDir>/tests/jest/temporary-files.cjs',
  reporters: [
    'default',
    '<rootDir>/tests/jest/report-suites.cjs',
    ...(isRequested('.attack.test') ? ['<rootDir>/tests/jest/report-attempts.cjs'] : []),
  ],
  testSequencer: '<rootDir>/tests/jest/long-first.cjs',
  // For what never ends: who passes does not wait. `MERGEXO_TEST_PATIENCE=2` waits twice as long for everything.
  testTimeout: 300_000 * Number(process.env['MERGEXO_TEST_PATIENCE'] ?? 1),
  // Most of the time is spent waiting for processes, not computing.
  maxWorkers: 4,
  // A suite's modules stay in memory. Large workers start processes slowly: Linux copies their page tables each time.
  workerIdleMemoryLimit: '300MB',
};

export default config;
