// Ends a run with one line for each missing program: "17 tests skipped: bubblewrap is not installed". A test that needs
// an optional program has the reason in brackets at the end of its title, or of the title of a group around it.
// MERGEXO_SKIPPED_SUITES names a file for the paths of the suites with such tests, to run them again with the programs.
const { writeFileSync } = require('node:fs');

const REASON = /\[([^[\]]+)\]$/;

const reasonOf = ({ ancestorTitles, title }) =>
  [...ancestorTitles, title].map((part) => REASON.exec(part)?.[1]).find((reason) => reason !== undefined);

module.exports = class ReportSkips {
  onRunComplete(_contexts, { testResults }) {
    const counts = new Map();
    const suites = new Set();
    for (const { testFilePath, testResults: tests } of testResults) {
      for (const test of tests) {
        const reason = test.status === 'pending' ? reasonOf(test) : undefined;
        if (reason === undefined) continue;
        counts.set(reason, (counts.get(reason) ?? 0) + 1);
        suites.add(testFilePath);
      }
    }
    for (const [reason, count] of counts) {
      process.stderr.write(`${count} ${count === 1 ? 'test' : 'tests'} skipped: ${reason}\n`);
    }
    const file = process.env.MERGEXO_SKIPPED_SUITES;
    if (file) writeFileSync(file, [...suites].map((path) => `${path}\n`).join(''));
  }
};
