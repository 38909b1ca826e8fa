import { FAILPOINTS } from '@mergexo/core/basics';
import { eventually } from '@mergexo/testkit';
import { createVictim, type Victim } from '../fleet/crash-feedback.js';
import { NOT_IN_STARTS } from '../fleet/failpoints.js';
import { fetchResults } from '../fleet/fetch-results.js';
import { createWalk, type Walk } from '../fleet/walk.js';

/** How long a test watches that a pause holds. A poller without the pause starts a turn in less time. */
const HOLD_MS = 2_000;

const POINTS = FAILPOINTS.filter((point) => !NOT_IN_STARTS.includes(point));

describe('a pause right after kill -9', () => {
  it.concurrent.each(POINTS)('at %s holds, and the work ends once after the resume', async (point) => {
    const walk = await createWalk();
    try {
      const issue = await walk.openIssue('agent:small-job');
      const inPoller = point.startsWith('poller:');
      const poller = walk.startPoller(inPoller ? point : undefined);
      const worker = walk.startWorker(inPoller ? undefined : point);
      const victim = inPoller ? poller : worker;
      await eventually(() => expect([point, victim.child.signalCode]).toEqual([point, 'SIGKILL']), 60_000);
      const countPosts = async () => {
        const { pulls, comments, pushes } = await fetchResults(walk, issue);
        return pulls.length + comments.length + pushes;
      };
      const expectHold = await pause(walk, issue, { countPosts, mayFinish: inPoller });
      const started = inPoller ? walk.startPoller() : walk.startWorker();
      await walk.ready(started, inPoller ? 'poller is ready' : 'worker is ready');
      await expectHold();
      // On a busy machine, the poller may start too late for the first request.
      await eventually(async () => expect(await steer(walk, 'resume')).toMatchObject({ ok: true }), 120_000);
      await eventually(
        () => expect([point, walk.runOf(issue)?.status]).toEqual([point, 'awaiting_feedback']),
        60_000,
      );
      const { pulls, comments, pushes, forced } = await fetchResults(walk, issue);
      expect([point, pulls.length, comments.length, pushes, forced]).toEqual([point, 1, 1, 1, 0]);
    } finally {
      await walk.close();
    }
  });
});

/** Failpoints before and after the moment when the worker's result is saved. */
const OF_FEEDBACK = [
  'worker:begun',
  'worker:agent-ended',
  'worker:plan-spooled',
  'worker:frozen',
  'worker:pushed',
];

describe('a pause right after kill -9 of a worker that answers comments', () => {
  let victim: Victim;
  beforeAll(async () => {
    victim = await createVictim();
  });
  afterAll(() => victim?.close());

  it.each(OF_FEEDBACK)('at %s holds, and every comment gets one reply after the resume', async (point) => {
    const { scene } = victim;
    const { walk, issue } = scene;
    const countPosts = async () =>
      (await scene.replies()).length + (await scene.comments()).length + (await scene.commits()).length;
    let expectHold = (): Promise<void> => Promise.reject(new Error('the work was not paused'));
    const faults = await victim.crash([point], {
      killed: async () => {
        expectHold = await pause(walk, issue, { countPosts, mayFinish: false });
      },
      restarted: async () => {
        await expectHold();
        expect(await steer(walk, 'resume')).toMatchObject({ changed: true });
      },
    });
    expect(faults).toEqual([]);
  });
});

type Stock = { begun: number; calls: number; posts: number; isFrozen: boolean };
type CountPosts = () => Promise<number>;

async function takeStock(walk: Walk, issue: number, countPosts: CountPosts): Promise<Stock> {
  const run = walk.runOf(issue);
  const [turn] = run === undefined ? [] : walk.withState((state) => state.listTurnsOfRun(run.id).slice(-1));
  return {
    // Another worker begins a turn with a saved result again, because only the push is left.
    begun: new Set(walk.listBegun().map(({ turnKey }) => turnKey)).size,
    calls: walk.agentCalls(issue),
    posts: await countPosts(),
    isFrozen: turn !== undefined && turn.planDigest !== null,
  };
}

/**
 * Pauses all work, and returns a check that the pause holds: no turn begins, and MergeXO posts only what a turn saved
 * that had begun before. `mayFinish`: the worker of such a turn is alive and may call its agent.
 */
async function pause(walk: Walk, issue: number, { countPosts, mayFinish }: Watched) {
  expect(await steer(walk, 'pause')).toMatchObject({ changed: true });
  const before = await takeStock(walk, issue, countPosts);
  return async (): Promise<void> => {
    await new Promise((done) => setTimeout(done, HOLD_MS));
    const after = await takeStock(walk, issue, countPosts);
    expect(after.begun).toBe(before.begun);
    if (!mayFinish || before.begun === 0) expect(after.calls).toBe(before.calls);
    if (!after.isFrozen || before.begun === 0) expect(after.posts).toBe(before.posts);
  };
}
type Watched = { countPosts: CountPosts; mayFinish: boolean };

async function steer(walk: Walk, order: string): Promise<object> {
  const { output } = await walk.runCli(order, '--json');
  return JSON.parse(output);
}
