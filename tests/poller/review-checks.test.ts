import { ReviewContext, ReviewFixContext } from '@mergexo/core/turns';
import { aFinding, playReview } from '../stage/review-play.js';
import { createReviewScene, type ReviewScene } from '../stage/review-scene.js';
import { NAME } from '../stage/stage.js';

describe('the checks that an agent gets at the beginning of a review or fix', () => {
  let scene: ReviewScene;
  let run: number;
  beforeEach(async () => {
    scene = await createReviewScene({ repoKeys: 'ci_policy = "all_complete"' });
    run = startCheck();
    await scene.poll();
  });
  afterEach(() => scene.stage.close());

  const startCheck = () =>
    scene.stage.twin.actions.start(NAME, { branch: scene.branch, by: 'robot', name: 'test' });
  const endCheck = async () => {
    scene.stage.twin.actions.finish(run, 'success');
    await scene.poll();
  };
  const summarize = (checks: ReviewContext['checks']) =>
    checks.map(({ name, status, conclusion }) => [name, status, conclusion]);
  /** Begins the waiting turn, and returns its context before and after. */
  const begin = async (kind: string) => {
    const { state } = scene.stage;
    const turn = state.listTurnsInState('open').find((open) => open.kind === kind);
    if (turn === undefined) throw new Error(`no ${kind} is open`);
    const before = state.readTurnContext(turn.turnKey);
    await endCheck();
    expect(await scene.stage.begin(turn)).toMatchObject({ kind: 'begun' });
    return [before, state.readTurnContext(turn.turnKey)];
  };

  it('are those of that moment in a review, although they were pending when it opened', async () => {
    const [, after] = await begin('review');
    expect(summarize(ReviewContext.parse(after).checks)).toEqual([['test', 'completed', 'success']]);
  });

  it('are those of that moment in a fix', async () => {
    await playReview(scene.stage, () => [aFinding()]);
    await scene.settle();
    await scene.poll();
    const [before, after] = (await begin('review_fix')).map(
      (context) => ReviewFixContext.parse(context).checks,
    );
    expect(summarize(before ?? [])).toEqual([['test', 'in_progress', null]]);
    expect(summarize(after ?? [])).toEqual([['test', 'completed', 'success']]);
  });
});
