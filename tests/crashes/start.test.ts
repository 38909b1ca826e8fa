import { FAILPOINTS } from '@mergexo/core/basics';
import { eventually } from '@mergexo/testkit';
import { NOT_IN_STARTS } from '../fleet/failpoints.js';
import { fetchResults } from '../fleet/fetch-results.js';
import { createWalk, type Walk } from '../fleet/walk.js';

/** A start passes these failpoints twice, because it posts a pull request and a comment on the issue. */
const PER_ACTION = ['poller:action-sending', 'poller:action-answered', 'poller:action-settled'];
/** A start passes these failpoints for the reaction to its issue, and for the status comment. */
const PER_SIGN = ['poller:sign-sending', 'poller:sign-answered', 'poller:sign-recorded'];
const POINTS = FAILPOINTS.filter((point) => !NOT_IN_STARTS.includes(point)).flatMap((point) =>
  [...PER_ACTION, ...PER_SIGN].includes(point) ? [`${point}#1`, `${point}#2`] : [point],
);

/** Signs are sent at any time, also before the freeze. */
const isSign = (point: string): boolean => PER_SIGN.includes(point.split('#')[0] ?? '');

/** A crash before the freeze leads to one more agent call. After the freeze, the next worker uses the frozen plan. */
const FREEZE = POINTS.indexOf('poller:freeze-written');

describe('kill -9 between a labeled issue and its pull request', () => {
  it.concurrent.each(POINTS)(
    'at %s: MergeXO opens one pull request with one commit and one status comment',
    async (point) => {
      const walk = await createWalk();
      try {
        const number = await walk.openIssue('agent:small-job');
        await killAt(walk, point);
        await expectOnce(walk, number, point);
      } finally {
        await walk.close();
      }
    },
  );

  it('is tested at every failpoint', () => {
    process.stdout.write(`failpoints of a start: ${POINTS.join(', ')}\n`);
    const covered = new Set([...POINTS.map((point) => point.split('#')[0]), ...NOT_IN_STARTS]);
    expect(FAILPOINTS.filter((point) => !covered.has(point))).toEqual([]);
  });
});

/** Starts both programs, waits until the program with the failpoint has killed itself, and restarts that program. */
async function killAt(walk: Walk, point: string): Promise<void> {
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

async function expectOnce(walk: Walk, number: number, point: string): Promise<void> {
  await eventually(() => {
    const status = walk.runOf(number)?.status;
    if (status !== 'awaiting_feedback') throw new Error(`${status}:\n${walk.outputs().slice(-4_000)}`);
  }, 60_000);
  await eventually(async () => {
    const { statuses } = await fetchResults(walk, number);
    expect(statuses.map(({ body }) => String(body).includes('ready for review'))).toEqual([true]);
  }, 60_000);
  const { pulls, comments, pushes, forced } = await fetchResults(walk, number);
  expect([point, pulls.length, comments.length, pushes, forced]).toEqual([point, 1, 1, 1, 0]);
  expect(walk.agentCalls(number)).toBeLessThanOrEqual(
    POINTS.indexOf(point) >= FREEZE && !isSign(point) ? 1 : 2,
  );
  expect(walk.twin.control.violations()).toEqual([]);
}
