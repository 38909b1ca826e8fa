import type { PlanResult } from '@mergexo/core/turns';
import { createStage, NAME, type Stage } from '../stage/stage.js';

const fix: PlanResult = { kind: 'pull', title: 'Fix it', summary: 'Fixed.', design: null };
const BRANCH = 'agent/bugfix/1-broken';
const RUNS = 'GET /repos/{owner}/{repo}/actions/runs';

describe('a list of workflow runs that is older than an earlier one', () => {
  let stage: Stage;
  let pr: number;
  beforeEach(async () => {
    stage = await createStage({ repoKeys: 'ci_policy = "all_complete"' });
    await stage.alice.openIssue(NAME, { title: 'Broken', body: 'x', labels: ['agent:bugfix'] });
    await stage.poll();
    const { runId } = await stage.work(fix);
    await stage.drain();
    await pollLater();
    pr = stage.state.readRun(runId)?.prNumber ?? 0;
  });
  afterEach(() => stage.close());

  const pollLater = async () => {
    stage.advance(10_000);
    await stage.poll();
  };
  const start = (name: string) =>
    stage.twin.actions.start(NAME, { branch: BRANCH, by: 'robot', name, jobs: [{ name, log: '' }] });
  const finish = (run: number, conclusion: 'success' | 'failure') => {
    stage.advance(10_000);
    stage.twin.actions.finish(run, conclusion);
  };
  const checks = () =>
    stage.state
      .readPull(stage.repo.id, pr)
      ?.checks?.map(({ name, attempt, conclusion }) => `${name} ${attempt} ${conclusion}`)
      .sort();
  /** The next list shows the runs as they were some seconds ago, and a change makes the poller read it. */
  const lag = (seconds: number) => {
    stage.twin.control.fault({ kind: 'lag', seconds, route: RUNS, times: 1 });
    start('other');
  };

  it.each([
    ['', () => {}],
    [' after the poller restarted', () => stage.restart()],
  ])('does not undo the end of a run%s', async (_when, prepare) => {
    const run = start('test');
    await pollLater();
    finish(run, 'success');
    await pollLater();
    expect(checks()).toEqual(['test 1 success']);
    prepare();
    lag(15);
    await stage.poll();
    expect(checks()).toEqual(['test 1 success']);
    await pollLater();
    expect(checks()).toEqual(['other 1 null', 'test 1 success']);
  });

  it('does not undo a rerun', async () => {
    const run = start('test');
    finish(run, 'failure');
    await pollLater();
    await stage.alice.request('POST', `/repos/${NAME}/actions/runs/${run}/rerun-failed-jobs`);
    await pollLater();
    expect(checks()).toEqual(['test 2 null']);
    lag(15);
    await stage.poll();
    expect(checks()).toContain('test 2 null');
  });
});
