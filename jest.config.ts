/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';

const isRequested = (path: string) => process.argv.some((argument) => argument.includes(path));
/** These suites take minutes, and real agents need 800 MB, so they run only if you name them. */
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
    '^@mergexo/core/(?!(?:mergexo-cli|printable)$)(.+)$': '<rootDir>/packages/core/src/$1/index.ts',
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
  // Limit for hanging tests; passing tests do not reach it. `MERGEXO_TEST_PATIENCE=2` doubles all limits.
  testTimeout: 300_000 * Number(process.env['MERGEXO_TEST_PATIENCE'] ?? 1),
  // Most of the time is spent waiting for processes, not computing.
  maxWorkers: 4,
  // Restarts larger workers. Jest keeps each suite's modules in memory, and Linux copies the page tables of a
  // process whenever it starts another, so a large worker starts processes slowly.
  workerIdleMemoryLimit: '300MB',
};

export default config;
