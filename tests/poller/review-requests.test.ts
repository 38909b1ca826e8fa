import { expectAtMost, measureRequests } from '../stage/measure-requests.js';
import { aFinding, playReview } from '../stage/review-play.js';
import { createReviewScene, type ReviewScene } from '../stage/review-scene.js';

const RECENT_MS = 2_000;

describe('the number of GitHub requests', () => {
  let scene: ReviewScene;
  beforeEach(async () => {
    scene = await createReviewScene({ recentMs: RECENT_MS });
  });
  afterEach(() => scene.stage.close());

  /** Begins the open turn, and returns its requests. */
  const begin = async (kind: string): Promise<string[]> => {
    const turn = scene.stage.state.listTurnsInState('open').find((open) => open.kind === kind);
    if (turn === undefined) throw new Error(`no ${kind} is open`);
    const { list } = await measureRequests(scene.stage, async () =>
      expect(await scene.stage.begin(turn)).toMatchObject({ kind: 'begun' }),
    );
    return list;
  };
  const waitForWorker = () => new Promise((resolve) => setTimeout(resolve, RECENT_MS + 50));

  it('is at most three for a review that waited for a worker', async () => {
    await waitForWorker();
    expectAtMost(3, await begin('review'));
  });

  it('is at most four for a fix, one of them counted: it also reads line comments and resolved threads again', async () => {
    await playReview(scene.stage, () => [aFinding()]);
    await scene.settle();
    await scene.poll();
    await waitForWorker();
    const requests = await begin('review_fix');
    expectAtMost(4, requests);
    expectAtMost(
      1,
      requests.filter((request) => !request.startsWith('304')),
    );
  });
});
