// Without timings, jest starts large files first. Our longest tests are small files that wait for processes, so they
// would start last and run alone at the end.
const { default: Sequencer } = require('@jest/test-sequencer');

const LONG = [/fleet-on/, /start-/, /chaos-/, /tests\//];

module.exports = class LongFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const found = LONG.findIndex((pattern) => pattern.test(path));
      return found < 0 ? LONG.length : found;
    };
    return [...super.sort(tests)].sort((a, b) => rank(a) - rank(b));
  }
};
