// Ends jest at the first failed test, and writes its title to the file that MERGEXO_FIRST_FAILURE names. Jest's own
// --bail waits for the end of the suite.
const { writeFileSync } = require('node:fs');

module.exports = class StopAtFailure {
  onTestCaseResult(_test, { status, fullName }) {
    if (status !== 'failed') return;
    writeFileSync(process.env.MERGEXO_FIRST_FAILURE, fullName);
    process.exit(1);
  }
};
