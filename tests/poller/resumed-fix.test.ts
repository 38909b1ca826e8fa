import { ReviewFixContext, type ReviewFixResult } from '@mergexo/core/turns';
import { aFinding, playReview } from '../stage/review-play.js';
import { createReviewScene, type ReviewScene } from '../stage/review-scene.js';
import { NAME } from '../stage/stage.js';

describe('a fix whose worker stopped after MergeXO stored its plan', () => {
  let scene: ReviewScene;
  beforeEach(async () => {
    scene = await createReviewScene();
    await playReview(scene.stage, () => [aFinding()]);
    await scene.settle();
    await scene.poll();
  });
  afterEach(() => scene.stage.close());

  /** Stores a plan whose commit is not pushed yet, and returns the key of the turn. */
  const freeze = async (): Promise<string> => {
    const { stage } = scene;
    const [turn] = stage.state.listTurnsInState('open');
    if (turn?.kind !== 'review_fix') throw new Error('no fix is open');
    const begun = await stage.begin(turn);
    if (begun.kind !== 'begun') throw new Error(JSON.stringify(begun));
    const { findings, branch, headSha: startSha } = ReviewFixContext.parse(begun.context);
    const answer = { resolution: 'fixed', note: 'Done.', touchesFile: true } as const;
    const answers = findings.map(({ id }) => ({ id, ...answer }));
    const result: ReviewFixResult = { kind: 'fix', answers, summary: 'Fixed it.', failure: null };
    const parcel = stage.buildParcel(result, { branch, startSha, sha: 'f'.repeat(40) });
    const held = { turnKey: turn.turnKey, attempt: 1 };
    expect(await stage.tell({ kind: 'freeze', ...held, parcel, finished: false })).toEqual({ kind: 'ok' });
    await stage.tell({ kind: 'release', ...held, reason: 'draining' });
    return turn.turnKey;
  };
  const beginAgain = async (turnKey: string) => {
    const turn = scene.stage.state.readTurn(turnKey);
    if (turn === undefined) throw new Error('the turn is gone');
    return scene.stage.begin(turn);
  };

  it('continues with its plan, even if people dismissed every finding in the meantime', async () => {
    const turnKey = await freeze();
    const [root] = await scene.reviewComments();
    await scene.stage.alice.reply(NAME, root?.id ?? 0, '/mergexo dismiss');
    await scene.poll();
    await scene.settle();
    expect(await beginAgain(turnKey)).toMatchObject({ kind: 'begun', frozen: { plan: {} } });
  });

  it('ends with its pull request if its branch was deleted in the meantime', async () => {
    const turnKey = await freeze();
    await scene.stage.alice.deleteBranch(NAME, scene.branch);
    expect(await beginAgain(turnKey)).toMatchObject({ kind: 'refused' });
    expect(scene.events('review_fix_failed')).toMatchObject([{ reason: 'the pull request was closed' }]);
  });
});
