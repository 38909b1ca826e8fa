import type { RepoConfig } from '@mergexo/config';
import { startTwin } from '@mergexo/github-twin';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { createPlanStart } from '../plan-start.js';
import { aStartContext } from '../testing/a-start-context.js';
import { aRemote, createScene, plan } from '../testing/scene.js';
import { type Step, say } from '../testing/stage.js';

const FILES = {
  'src/a.txt': 'one\n',
  'tests/old.sh': 'exit 0\n',
  // Fails on the base with the new test.
  'set-up.sh': '#!/bin/sh\ntest ! -e tests/new.sh || grep -q two src/a.txt\n',
  // Fails on the base, whatever the tests are.
  'broken.sh': '#!/bin/sh\ngrep -q two src/a.txt && ./test.sh\n',
  'test.sh': '#!/bin/sh\nfor test in tests/*.sh; do sh "$test" || exit 1; done\n',
};
const CHANGE = { pr_title: 'Fix', pr_summary: 'Fixed.', commit_message: 'Fix', state_summary: 'done' };
const REPO: Partial<RepoConfig> = { requiredTests: 'test.sh', testFileRegex: '^tests/' };

/** Long enough for the tests to pass on a busy machine. */
const TIMEOUT_MS = 10_000;
const FIX = 'echo two > src/a.txt';
const TEST = 'echo "grep -q two src/a.txt" > tests/new.sh';
const USELESS = 'echo "exit 0" > tests/new.sh';

describe('the tests of a bug fix', () => {
  const scene = createScene(createTemporaryDirectory(), () => startTwin({ seed: aRemote(FILES) }));
  let turns = 0;

  async function fix(steps: Step[], repo = REPO, flow: 'bugfix' | 'small_job' = 'bugfix') {
    turns += 1;
    const stage = scene.openStage(String(turns), { steps, repo, testsTimeoutMs: TIMEOUT_MS });
    const context = aStartContext({ flow, branch: `agent/bugfix/${turns}-crash` });
    const planned = await plan(createPlanStart(stage.tools), `${flow}_start`, context);
    if (planned.kind !== 'planned') throw new Error(JSON.stringify(planned));
    return { plan: planned.parcel.plan, calls: stage.calls };
  }

  it('fail on the base and pass with the fix, and the pull request names them', async () => {
    const { plan, calls } = await fix([say(CHANGE, `${FIX}; ${TEST}`)]);
    expect(plan.result).toMatchObject({ kind: 'pull', provedBy: ['tests/new.sh'] });
    expect(calls()[0]?.prompt).toContain('MergeXO also runs test.sh with your test but without your fix');
  });

  it('are sent back to the agent if they pass on the base', async () => {
    const { plan, calls } = await fix([say(CHANGE, `${FIX}; ${USELESS}`), say(CHANGE, TEST)]);
    expect(calls()).toHaveLength(2);
    expect(calls()[1]?.prompt).toContain('also pass without your fix');
    expect(calls()[1]?.prompt).toContain('- tests/new.sh');
    expect(plan.result).toMatchObject({ kind: 'pull', provedBy: ['tests/new.sh'] });
  });

  it('stop the work if they still pass on the base after three repairs, and keep a checkpoint', async () => {
    const steps = [say(CHANGE, `${FIX}; ${USELESS}`), ...Array.from({ length: 3 }, () => say(CHANGE))];
    const { plan, calls } = await fix(steps);
    expect(calls()).toHaveLength(4);
    expect(plan.result).toMatchObject({
      kind: 'wait',
      waitKind: 'tests_missing',
      reason: expect.stringContaining('- tests/new.sh'),
    });
    expect(plan.commit).not.toBeNull();
  });

  it.each<[string, string]>([
    ['exceed a limit', 'kill -25 $PPID'],
    ['time out', 'sleep 60'],
  ])('prove nothing if they %s on the base', async (_name, act) => {
    const test = `printf 'grep -q two src/a.txt || ${act}\\n' > tests/new.sh`;
    const { plan, calls } = await fix([say(CHANGE, `${FIX}; ${test}`)]);
    expect(calls()).toHaveLength(1);
    expect(plan.result).toMatchObject({ kind: 'pull' });
    expect(plan.result).not.toHaveProperty('provedBy');
  });

  it('prove nothing if the base fails without them', async () => {
    const { plan } = await fix([say(CHANGE, `${FIX}; ${TEST}`)], { ...REPO, requiredTests: 'broken.sh' });
    expect(plan.result).toMatchObject({ kind: 'pull' });
    expect(plan.result).not.toHaveProperty('provedBy');
  });

  it('prove nothing if setup fails on the base with them, because they did not run', async () => {
    const repo = { ...REPO, setup: 'set-up.sh' };
    const { plan, calls } = await fix([say(CHANGE, `${FIX}; ${USELESS}`)], repo);
    expect(calls()).toHaveLength(1);
    expect(plan.result).toMatchObject({ kind: 'pull' });
    expect(plan.result).not.toHaveProperty('provedBy');
  });

  it.each<[string, Partial<RepoConfig>, 'bugfix' | 'small_job']>([
    ['without required_tests', { testFileRegex: '^tests/' }, 'bugfix'],
    ['without test_file_regex', { requiredTests: 'test.sh' }, 'bugfix'],
    ['for a small job', REPO, 'small_job'],
  ])('are not compared with the base %s', async (_name, repo, flow) => {
    const { plan, calls } = await fix([say(CHANGE, `${FIX}; ${USELESS}`)], repo, flow);
    expect(calls()).toHaveLength(1);
    expect(plan.result).toMatchObject({ kind: 'pull' });
    expect(plan.result).not.toHaveProperty('provedBy');
  });
});
