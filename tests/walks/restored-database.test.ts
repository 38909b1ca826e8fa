import { eventually, type Program } from '@mergexo/testkit';
import { createScene, type Scene } from '../fleet/feedback-scene.js';
import { createWalk, REPO, type Walk } from '../fleet/walk.js';
import { whatHappened } from '../fleet/what-happened.js';

const kill = async (...programs: Program[]): Promise<void> => {
  for (const program of programs) program.kill('SIGKILL');
  await Promise.all(programs.map(({ exited }) => exited));
};

describe('a database restored from a copy that is older than the pull request', () => {
  let walk: Walk;
  beforeEach(async () => {
    walk = await createWalk();
  });
  afterEach(async () => {
    const violations = walk.twin.control.violations();
    await walk.close();
    expect(violations).toEqual([]);
  });

  const until = (check: () => unknown) =>
    eventually(async () => {
      try {
        await check();
      } catch (error) {
        throw new Error(`${error}\n${walk.outputs().slice(-3_000)}`);
      }
    }, 60_000);
  const isOpen = (issue: number) =>
    until(() => expect(walk.runOf(issue)).toMatchObject({ status: 'awaiting_feedback' }));
  const beginIssue = async (): Promise<number> => {
    const issue = await walk.openIssue('agent:small-job');
    await until(() => expect(walk.runOf(issue)?.status).toBe('running'));
    return issue;
  };
  const seeRepo = async (): Promise<number> => {
    await until(() => expect(walk.withState((state) => state.readFeed(repoId(), 'issues'))).toBeDefined());
    return 0;
  };
  const repoId = () => walk.withState((state) => state.listRepositories()[0]?.id ?? 0);

  it.each<[string, () => Promise<number>]>([
    ['before the agent was asked', beginIssue],
    ['before the issue was opened', seeRepo],
  ])('adopts the pull request that is open (copied %s)', async (_moment, prepare) => {
    let poller = walk.startPoller();
    const begun = await prepare();
    await kill(poller);
    const restore = walk.copyDatabase();
    const issue = begun === 0 ? await walk.openIssue('agent:small-job') : begun;
    poller = walk.startPoller();
    const worker = walk.startWorker();
    await isOpen(issue);
    const before = await whatHappened(walk, issue);
    await kill(poller, worker);
    restore();
    expect(walk.runOf(issue)?.prNumber ?? null).toBeNull();

    walk.startPoller();
    walk.startWorker();
    await isOpen(issue);
    const pr = walk.runOf(issue)?.prNumber ?? 0;
    await walk.alice.comment(REPO, pr, 'Why so?');
    await until(async () => expect((await whatHappened(walk, pr)).comments).toHaveLength(1));
    const after = await whatHappened(walk, issue);
    expect([after.pulls.length, after.pushes, after.comments.length]).toEqual([
      1,
      before.pushes,
      before.comments.length,
    ]);
    const starts = walk.agentRequests(issue).filter(({ kind }) => kind === 'small_job_start');
    expect(starts).toHaveLength(1);
  });
});

describe('a database restored from a copy that is older than the answers', () => {
  let scene: Scene;
  afterEach(async () => {
    expect(scene.walk.twin.control.violations()).toEqual([]);
    await scene.close();
  });

  const answers = async () => [await scene.replies(), await scene.comments()].map(({ length }) => length);

  it('replies once, whenever the copy was made', async () => {
    scene = await createScene();
    const { walk } = scene;
    let { poller, worker } = scene;
    /** Plays the time after the copy again on the copy. */
    const repeat = async (restore: () => void, before: number[]) => {
      poller = walk.startPoller();
      worker = walk.startWorker();
      await scene.until(async () => expect(await answers()).toEqual(before));
      await scene.until(() => expect(scene.unprocessed()).toEqual([]));
      const calls = walk.agentCalls(scene.issue);
      await kill(poller, worker);
      restore();
      poller = walk.startPoller();
      worker = walk.startWorker();
      await scene.until(() => expect(scene.unprocessed()).toEqual([]));
      await scene.until(() => expect(walk.withState((state) => state.listUnsettledActions())).toEqual([]));
      await scene.aWhile(3_000);
      expect(await answers()).toEqual(before);
      expect(walk.agentCalls(scene.issue)).toBe(calls);
    };

    // Between the frozen plan and its first reply.
    await kill(poller);
    await scene.onLine('Why?');
    await walk.alice.comment(REPO, scene.pr, 'And this?');
    poller = walk.startPoller('poller:freeze-written');
    await poller.exited;
    await kill(worker);
    await repeat(walk.copyDatabase(), [1, 1]);

    // While the turn waits for a worker.
    await kill(worker);
    await scene.onLine('And here?', 2);
    await scene.until(() => expect(scene.turns().at(-1)?.state).toBe('queued'));
    await kill(poller);
    await repeat(walk.copyDatabase(), [2, 1]);

    // Before the comment was read.
    await kill(poller, worker);
    const restore = walk.copyDatabase();
    await scene.onLine('And there?', 3);
    await repeat(restore, [3, 1]);
  });
});
