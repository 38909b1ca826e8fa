import { fetchResults } from '../fleet/fetch-results.js';
import { createWalk, REPO, type Walk } from '../fleet/walk.js';

/**
 * Failpoints of a start during which a person comments. The gate defers the pull request, a second turn opens
 * it, and MergeXO redirects a later comment. `#3` is the third post, which is the redirect.
 */
const POINTS = [
  'poller:gate-checked',
  'poller:turn-deferred',
  'poller:remarks-read#2',
  'poller:turn-opened#2',
  'poller:freeze-written#2',
  'poller:finish-written#2',
  'poller:gate-checked#2',
  'poller:action-sending#1',
  'poller:action-answered#1',
  'poller:action-settled#1',
  'poller:redirect-planned',
  'poller:action-sending#3',
  'poller:action-answered#3',
  'poller:action-settled#3',
  'worker:pushed#2',
];

describe('kill -9 at the gate before a pull request and at the redirect after the pull request', () => {
  it.concurrent.each(POINTS)('at %s: MergeXO acts on or redirects every comment once', async (point) => {
    const walk = await createWalk();
    try {
      await play(walk, point);
    } finally {
      await walk.close();
    }
  });
});

async function play(walk: Walk, point: string): Promise<void> {
  const issue = await walk.openIssue('agent:small-job', { sleepMs: 1_500 });
  const inPoller = point.startsWith('poller:');
  const poller = walk.startPoller(inPoller ? point : undefined);
  const worker = walk.startWorker(inPoller ? undefined : point);
  const victim = inPoller ? poller : worker;
  let healed = false;
  const restore = (): void => {
    if (healed || victim.child.signalCode !== 'SIGKILL') return;
    healed = true;
    if (inPoller) walk.startPoller();
    else walk.startWorker();
  };
  const until = (check: () => void | Promise<void>): Promise<void> =>
    walk.until(async () => {
      restore();
      await check();
    }, 90_000);

  await until(() => expect(walk.agentCalls(issue)).toBe(1));
  await walk.alice.comment(REPO, issue, 'One thing more. {"write":{"more.txt":"x\\n"}}');
  await until(() => expect(walk.runOf(issue)?.status).toBe('awaiting_feedback'));
  await walk.alice.comment(REPO, issue, 'And now?');
  await until(async () => expect((await fetchResults(walk, issue)).comments).toHaveLength(2));
  await until(() => expect(healed).toBe(true));
  await until(() => expect(walk.withState((state) => state.listUnsettledActions())).toEqual([]));

  const { pulls, comments, pushes, forced } = await fetchResults(walk, issue);
  const redirects = comments.filter(({ body }) =>
    String(body).includes('no longer acts on comments here, including'),
  );
  expect([point, pulls.length, comments.length, redirects.length, pushes, forced]).toEqual([
    point,
    1,
    2,
    1,
    2,
    0,
  ]);
  const callsWithComments = walk.agentRequests(issue).filter(({ comments }) => comments.length > 0);
  // A crash before the plan is frozen leads to one more agent call for the same turn.
  expect(new Set(callsWithComments.map(({ turnKey }) => turnKey)).size).toBe(1);
  expect(
    callsWithComments.every(
      ({ comments }) => comments.length === 1 && comments[0]?.startsWith('One thing more.'),
    ),
  ).toBe(true);
  expect(walk.twin.control.violations()).toEqual([]);
}
