import { FAILPOINTS, type Failpoint } from '@mergexo/core';
import { eventually } from '@mergexo/testkit';
import { createWalk, type Walk } from '../support/walk.js';
import { whatHappened } from '../support/what-happened.js';

/** Once the plan is frozen, whoever takes the turn up carries it out; before that, a crash costs one more asking. */
const FREEZE = FAILPOINTS.indexOf('poller:freeze-written');

describe('kill -9 on the way from a labelled issue to a pull request', () => {
  it.concurrent.each(FAILPOINTS)('at %s: one pull request, one commit, one status comment', async (point) => {
    const walk = await createWalk();
    try {
      const number = await walk.openIssue('agent:small-job');
      await killAt(walk, point);
      await expectOnce(walk, number, point);
    } finally {
      await walk.close();
    }
  });

  it('covers every named point', () => {
    process.stdout.write(`crash points: ${FAILPOINTS.join(', ')}\n`);
    expect(new Set(FAILPOINTS).size).toBe(FAILPOINTS.length);
  });
});

/** Starts both, waits until the one at the point has killed itself, and starts it again. */
async function killAt(walk: Walk, point: Failpoint): Promise<void> {
  const inPoller = point.startsWith('poller:');
  const poller = walk.startPoller(inPoller ? point : undefined);
  const worker = walk.startWorker(inPoller ? undefined : point);
  const victim = inPoller ? poller : worker;
  await eventually(() => {
    if (victim.child.signalCode !== 'SIGKILL')
      throw new Error(`${point} was not reached:\n${walk.outputs().slice(-4_000)}`);
  }, 60_000);
  if (inPoller) walk.startPoller();
  else walk.startWorker();
}

async function expectOnce(walk: Walk, number: number, point: Failpoint): Promise<void> {
  await eventually(() => {
    const status = walk.runOf(number)?.status;
    if (status !== 'awaiting_feedback') throw new Error(`${status}:\n${walk.outputs().slice(-4_000)}`);
  }, 60_000);
  const { pulls, comments, pushes, forced } = await whatHappened(walk, number);
  expect([point, pulls.length, comments.length, pushes, forced]).toEqual([point, 1, 1, 1, 0]);
  expect(walk.agentCalls(number)).toBeLessThanOrEqual(FAILPOINTS.indexOf(point) >= FREEZE ? 1 : 2);
  expect(walk.twin.control.violations()).toEqual([]);
}
