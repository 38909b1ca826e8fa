/** Jest for StrykerJS: the unit tests of core and of the poller, in an environment that records which test runs which code. */
const { join } = require('node:path');

module.exports = {
  rootDir: join(__dirname, '..'),
  roots: (process.env.STRYKER_TESTS ?? 'packages/core').split(',').map((folder) => `<rootDir>/${folder}`),
  testMatch: ['**/src/**/*.test.ts', '<rootDir>/tests/poller/**/*.test.ts'],
  modulePathIgnorePatterns: ['/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  moduleNameMapper: {
    '^@mergexo/core/(?!(?:mergexo-cli|printable)$)(.+)$': '<rootDir>/packages/core/src/$1/index.ts',
    '^@mergexo/([^/]+)$': ['<rootDir>/packages/$1/src/index.ts', '<rootDir>/apps/$1/src/index.ts'],
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  testEnvironment: process.env.STRYKER_ENVIRONMENT,
  testTimeout: 60_000,
};
