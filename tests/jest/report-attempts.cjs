// Ends `npm run test:security` with a table: how many attempts each suite makes, and how many of them MergeXO stopped.
// One test is one attempt.
const { relative } = require('node:path');

const row = (attempts, stopped, name) => `${String(attempts).padStart(8)} ${String(stopped).padStart(8)}  ${name}\n`;

module.exports = class ReportAttempts {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
  }

  onRunComplete(_contexts, { testResults, numPassedTests, numFailedTests }) {
    const rows = testResults
      .map(({ testFilePath, numPassingTests, numFailingTests }) =>
        row(numPassingTests + numFailingTests, numPassingTests, relative(this.rootDir, testFilePath)),
      )
      .sort();
    const total = row(numPassedTests + numFailedTests, numPassedTests, 'all suites');
    process.stderr.write(`\n${row('attempts', 'stopped', 'suite')}${rows.join('')}${total}`);
  }
};
