// Ends a run with one line for each missing program: "17 tests skipped: bubblewrap is not installed". If a test needs
// an optional program, its title or the title of a surrounding group ends with the reason in brackets.
// MERGEXO_SKIPPED_SUITES and MERGEXO_FAILED_SUITES name files for the paths of suites that were skipped or failed, so
// that CI can run them again. Jest's own --onlyFailures forgets suites that failed outside of a test.
const { writeFileSync } = require('node:fs');

const REASON = /\[([^[\]]+)\]$/;

const reasonOf = ({ ancestorTitles, title }) =>
  [...ancestorTitles, title].map((part) => REASON.exec(part)?.[1]).find((reason) => reason !== undefined);

const writeList = (file, paths) => file && writeFileSync(file, paths.map((path) => `${path}\n`).join(''));

module.exports = class ReportSuites {
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
    const failed = testResults.filter((result) => result.testExecError || result.numFailingTests > 0);
    writeList(process.env.MERGEXO_SKIPPED_SUITES, [...suites]);
    writeList(
      process.env.MERGEXO_FAILED_SUITES,
      failed.map(({ testFilePath }) => testFilePath),
    );
  }
};
