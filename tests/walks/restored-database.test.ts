import { killPrograms } from '@mergexo/testkit';
import { createScene, type Scene } from '../fleet/feedback-scene.js';
import { fetchResults } from '../fleet/fetch-results.js';
import { createWalk, REPO, type Walk } from '../fleet/walk.js';

describe('with a database restored from a copy that is older than the pull request, MergeXO', () => {
  let walk: Walk;
  beforeEach(async () => {
    walk = await createWalk();
  });
  afterEach(() => walk.closeAndCheck());

  const until: Walk['until'] = (check) => walk.until(check);
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
    ['before the agent ran', beginIssue],
    ['before the issue was opened', seeRepo],
  ])('adopts the open pull request (copy made %s)', async (_moment, prepare) => {
    let poller = walk.startPoller();
    const begun = await prepare();
    await killPrograms([poller]);
    const restore = walk.copyDatabase();
    const issue = begun === 0 ? await walk.openIssue('agent:small-job') : begun;
    poller = walk.startPoller();
    const worker = walk.startWorker();
    await isOpen(issue);
    const before = await fetchResults(walk, issue);
    await killPrograms([poller, worker]);
    restore();
    expect(walk.runOf(issue)?.prNumber ?? null).toBeNull();

    walk.startPoller();
    walk.startWorker();
    await isOpen(issue);
    const pr = walk.runOf(issue)?.prNumber ?? 0;
    await walk.alice.comment(REPO, pr, 'Why this way?');
    await until(async () => expect((await fetchResults(walk, pr)).comments).toHaveLength(1));
    const after = await fetchResults(walk, issue);
    expect([after.pulls.length, after.pushes, after.comments.length]).toEqual([
      1,
      before.pushes,
      before.comments.length,
    ]);
    const starts = walk.agentRequests(issue).filter(({ kind }) => kind === 'small_job_start');
    expect(starts).toHaveLength(1);
  });
});

describe('with a database restored from a copy that is older than the answers, MergeXO', () => {
  let scene: Scene;
  afterEach(async () => {
    expect(scene.walk.twin.control.violations()).toEqual([]);
    await scene.close();
  });

  const answers = async () => [await scene.replies(), await scene.comments()].map(({ length }) => length);

  it('replies exactly once, no matter when the copy was made', async () => {
    scene = await createScene();
    const { walk } = scene;
    let { poller, worker } = scene;
    /** Lets MergeXO finish its work, restores the copy, and checks that MergeXO repeats nothing on GitHub. */
    const repeat = async (restore: () => void, before: number[]) => {
      poller = walk.startPoller();
      worker = walk.startWorker();
      await scene.until(async () => expect(await answers()).toEqual(before));
      await scene.until(() => expect(scene.unprocessed()).toEqual([]));
      const calls = walk.agentCalls(scene.issue);
      await killPrograms([poller, worker]);
      restore();
      poller = walk.startPoller();
      worker = walk.startWorker();
      await scene.until(() => expect(scene.unprocessed()).toEqual([]));
      await scene.until(() => expect(walk.withState((state) => state.listUnsettledActions())).toEqual([]));
      await scene.aWhile(3_000);
      expect(await answers()).toEqual(before);
      expect(walk.agentCalls(scene.issue)).toBe(calls);
    };

    // Copies the database between the freeze of a plan and its first reply.
    await killPrograms([poller]);
    await scene.onLine('Why?');
    await walk.alice.comment(REPO, scene.pr, 'And this?');
    poller = walk.startPoller('poller:freeze-written');
    await poller.exited;
    await killPrograms([worker]);
    await repeat(walk.copyDatabase(), [1, 1]);

    // Copies the database while the turn waits for a worker.
    await killPrograms([worker]);
    await scene.onLine('And here?', 2);
    await scene.until(() => expect(scene.turns().at(-1)?.state).toBe('queued'));
    await killPrograms([poller]);
    await repeat(walk.copyDatabase(), [2, 1]);

    // Copies the database before the poller reads the comment.
    await killPrograms([poller, worker]);
    const restore = walk.copyDatabase();
    await scene.onLine('And there?', 3);
    await repeat(restore, [3, 1]);
  });
});
