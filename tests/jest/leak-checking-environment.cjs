// Fails a suite that leaves a socket, timer, process or other resource open, which would keep jest's worker alive.
const QuickEnvironment = require('./quick-environment.cjs');

/** Time limit for closed connections and killed processes to disappear. */
const GRACE_MS = 5_000 * Number(process.env.MERGEXO_TEST_PATIENCE ?? 1);

/**
 * Resources that cannot belong to jest. Its worker processes have no timers, but with --runInBand the timers of its
 * reporters run in this process.
 */
const NOT_OF_JEST = process.send === undefined ? [] : ['Timeout', 'Immediate'];
/** Leaks of earlier suites in this process. Each leak is reported once. */
let reported = [];

/** Lists the kinds of resources that keep this process alive, except those in `before`. */
function listNew(before) {
  const rest = [...before];
  return process.getActiveResourcesInfo().filter((kind) => {
    const at = rest.indexOf(kind);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

async function waitForNone(before) {
  const endsAt = Date.now() + GRACE_MS;
  let left = listNew(before);
  while (left.length > 0 && Date.now() < endsAt) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    left = listNew(before);
  }
  return left;
}

/** These suites start whole fleets and check for leftover processes themselves. */
const CHECK_THEMSELVES = /\/tests\/(walks|poller|crashes|agents)\//;

module.exports = class LeakCheckingEnvironment extends QuickEnvironment {
  constructor(config, context) {
    super(config, context);
    this.isChecked = !CHECK_THEMSELVES.test(context.testPath);
  }

  async setup() {
    await super.setup();
    const before = process.getActiveResourcesInfo().filter((kind) => !NOT_OF_JEST.includes(kind));
    this.before = [...before, ...reported.filter((kind) => NOT_OF_JEST.includes(kind))];
  }

  async teardown() {
    const left = this.isChecked ? await waitForNone(this.before ?? []) : [];
    await super.teardown();
    if (left.length > 0) {
      reported = [...reported, ...left];
      throw new Error(`The tests left resources open: ${left.join(', ')}. Close them in afterEach or afterAll.`);
    }
  }
};
