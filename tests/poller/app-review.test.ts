import { findDismissed } from '@mergexo/poller';
import { aFinding, playFix, playReview } from '../stage/review-play.js';
import { createReviewScene, type ReviewScene } from '../stage/review-scene.js';
import { NAME } from '../stage/stage.js';
import { APP_BOT } from '../stage/stage-app.js';

const POST_CHECK = 'POST /repos/{owner}/{repo}/check-runs';

describe('a switch to a GitHub App during a review', () => {
  it('does not mistake a thread that MergeXO resolved with the earlier login for a dismissal by its owner', async () => {
    const scene = await createReviewScene({ app: true, poster: 'alice' });
    try {
      await playReview(scene.stage, () => [aFinding()]);
      await scene.settle();
      await scene.poll();
      await playFix(scene.stage, { files: { 'fix.txt': 'checked\n' } });
      await scene.settle();
      expect(scene.resolvedThreads()).toHaveLength(1);
      await scene.stage.switchTo(APP_BOT);
      for (let i = 0; i < 3; i += 1) await scene.poll();
      expect(scene.open()).toEqual(['review']);
      await playReview(scene.stage, () => [], { earlier: 'holds' });
      await scene.settle();
      expect((await scene.reviews()).at(-1)).toMatchObject({ author: { login: APP_BOT } });
      const { stage, pr } = scene;
      const { comments: reviewComments } = await stage.github.fetchReviewComments(NAME, pr);
      const resolved = await stage.github.fetchResolvedComments(NAME, pr);
      expect(new Set([...resolved.values()].map(({ login }) => login))).toEqual(new Set(['alice']));
      expect(stage.state.listReviewFindings(stage.repo.id, pr).map(({ status }) => status)).toEqual(['open']);
      // The finding is raised in a new thread. A finding that stays in its resolved thread must not be dismissed either.
      const [finding] = stage.state.listReviewFindings(stage.repo.id, pr);
      stage.state.saveFindingRemoteId(finding?.id ?? 0, [...resolved.keys()][0] ?? 0, 0);
      const seen = { pull: scene.pull(), snapshot: { reviews: [], reviewComments }, resolved };
      expect(await findDismissed(stage.common(), stage.repo, seen)).toEqual([]);
    } finally {
      await scene.stage.close();
    }
  });
});

describe('the AI review of a GitHub App', () => {
  let scene: ReviewScene;
  beforeEach(async () => {
    scene = await createReviewScene({ app: true, poster: APP_BOT });
  });
  afterEach(() => scene.stage.close());

  const goOn = async () => {
    await scene.settle();
    await scene.poll();
  };
  /** All check runs, including those that a newer one of the same name replaced. */
  const runs = () =>
    scene.stage.twin.world.store.checkRuns
      .filter(({ name }) => name === 'mergexo/review')
      .map(({ conclusion, annotations }) => ({ conclusion, notes: annotations.length }));
  const annotations = () => scene.stage.twin.world.store.checkRuns.all().flatMap((run) => run.annotations);

  it('is a check run with the findings, and one without after they are fixed', async () => {
    await playReview(scene.stage, () => [
      aFinding(),
      aFinding({ line: 2, severity: 'medium', body: 'Slow.' }),
    ]);
    await goOn();
    expect(runs()).toEqual([{ conclusion: 'failure', notes: 2 }]);
    expect(annotations()).toMatchObject([
      {
        path: 'fix.txt',
        start_line: 1,
        end_line: 1,
        annotation_level: 'failure',
        title: 'high · security · blocking',
        message: 'The first line does not validate its input.',
      },
      { start_line: 2, annotation_level: 'warning' },
    ]);
    expect(await scene.status(scene.pull().headSha ?? '')).toBeUndefined();
    await playFix(scene.stage, { files: { 'fix.txt': 'checked\n' } });
    await goOn();
    await playReview(scene.stage, () => []);
    await goOn();
    expect(runs()).toEqual([
      { conclusion: 'failure', notes: 2 },
      { conclusion: 'success', notes: 0 },
    ]);
    // MergeXO does not take its own check run for a failed check of the pull request.
    expect(scene.pull().checks ?? []).toEqual([]);
  });

  it('is posted once if GitHub’s response was lost, even after a restart', async () => {
    scene.stage.twin.control.fault({
      kind: 'error',
      status: 502,
      when: 'after',
      route: POST_CHECK,
      times: 1,
    });
    await playReview(scene.stage, () => [aFinding()]);
    await scene.settle();
    scene.stage.restart();
    for (let i = 0; i < 4; i += 1) {
      scene.stage.advance(30_000);
      await scene.settle();
    }
    expect(runs()).toEqual([{ conclusion: 'failure', notes: 1 }]);
    expect(scene.stage.state.listUnsettledActions()).toEqual([]);
  });

  it('is a commit status if the App may not write checks', async () => {
    const fault = { kind: 'error', status: 403, message: 'Resource not accessible by integration' } as const;
    scene.stage.twin.control.fault({ ...fault, route: POST_CHECK, times: null });
    await playReview(scene.stage, () => [aFinding()]);
    await goOn();
    expect((await scene.status(scene.pull().headSha ?? ''))?.state).toBe('failure');
    expect(runs()).toEqual([]);
  });

  it('succeeds once people dismiss every blocking finding', async () => {
    await playReview(scene.stage, () => [aFinding()]);
    await goOn();
    const [thread] = await scene.reviewComments();
    await scene.stage.alice.reply(NAME, thread?.id ?? 0, '/mergexo dismiss');
    await goOn();
    expect((await playFix(scene.stage, { files: { 'fix.txt': 'checked\n' } })).answer.kind).toBe('refused');
    for (let i = 0; i < 2; i += 1) await goOn();
    expect(runs().at(-1)).toEqual({ conclusion: 'success', notes: 0 });
  });
});
