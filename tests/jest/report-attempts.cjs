// Ends `npm run test:security` with a table: how many attempts each suite makes, and how many of them MergeXO stopped.
// One test is one attempt. Fails a run of all suites with too few attempts, so that no part of the catalogue gets lost.
const { relative } = require('node:path');

const MIN_ATTEMPTS = 400;

const row = (attempts, stopped, name) => `${String(attempts).padStart(8)} ${String(stopped).padStart(8)}  ${name}\n`;

module.exports = class ReportAttempts {
  constructor({ rootDir, testNamePattern }) {
    this.rootDir = rootDir;
    this.runsAllTests = !testNamePattern;
  }

  onRunComplete(contexts, { testResults, numPassedTests, numFailedTests }) {
    const rows = testResults
      .map(({ testFilePath, numPassingTests, numFailingTests }) =>
        row(numPassingTests + numFailingTests, numPassingTests, relative(this.rootDir, testFilePath)),
      )
      .sort();
    const attempts = numPassedTests + numFailedTests;
    const total = row(attempts, numPassedTests, 'all suites');
    process.stderr.write(`\n${row('attempts', 'stopped', 'suite')}${rows.join('')}${total}`);
    const ran = new Set(testResults.map(({ testFilePath }) => testFilePath));
    const suites = [...contexts].flatMap(({ hasteFS }) => hasteFS.getAllFiles()).filter(isAttack);
    const isWhole = this.runsAllTests && suites.every((path) => ran.has(path));
    if (isWhole && attempts < MIN_ATTEMPTS)
      this.error = new Error(`All suites together made ${attempts} attempts, fewer than ${MIN_ATTEMPTS}.`);
  }

  getLastError() {
    return this.error;
  }
};

function isAttack(path) {
  return path.endsWith('.attack.test.ts');
}
