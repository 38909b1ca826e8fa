import type { PlanResult } from '@mergexo/core/turns';
import { talk } from '../stage/answer-all.js';
import { createStage, DEBOUNCE_MS, NAME, type Stage } from '../stage/stage.js';

const fix: PlanResult = { kind: 'pull', title: 'Fix it', summary: 'Fixed.', design: null };
const pr = 2;

/** Each test acts on the copy before the next poll, because a poll would detect that the database is outdated. */
describe('before the first poll on a restored database, the poller', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await createStage();
    await stage.alice.openIssue(NAME, { title: 'Broken', labels: ['agent:bugfix'] });
    await stage.poll();
  });
  afterEach(() => stage.close());

  const settle = async () => {
    for (let i = 0; i < 3; i += 1) await stage.drain();
  };
  const openTurn = () => {
    const [turn] = stage.state.listTurnsInState('open');
    if (turn === undefined) throw new Error('no turn');
    return turn;
  };
  const openPull = async () => {
    await stage.work(fix);
    await settle();
    await stage.poll();
  };
  const ask = async () => {
    await stage.alice.comment(NAME, pr, 'Why this way?');
    for (let i = 0; i < 2; i += 1) {
      stage.advance(DEBOUNCE_MS);
      await stage.poll();
    }
  };
  const ours = async () =>
    (await stage.github.fetchThread(NAME, pr)).comments.filter(({ author }) => author.login === 'robot');

  it('adopts the pull request that a start opened after the copy, and calls no agent', async () => {
    const restore = stage.copyState();
    await openPull();
    restore();
    expect(await stage.begin(openTurn())).toMatchObject({
      kind: 'refused',
      reason: `pull request #${pr} already exists`,
    });
    expect(stage.state.readPull(stage.repo.id, pr)).toMatchObject({ status: 'awaiting_feedback' });
  });

  it('does not post the replies of a frozen plan again', async () => {
    await openPull();
    await ask();
    await stage.answer(talk);
    const restore = stage.copyState();
    await settle();
    const before = await ours();
    expect(before).toHaveLength(1);
    restore();
    await settle();
    expect(await ours()).toEqual(before);
    expect(stage.state.listUnsettledActions()).toEqual([]);
  });

  it('calls no agent for a comment that was answered after the copy', async () => {
    await openPull();
    await ask();
    const restore = stage.copyState();
    await stage.answer(talk);
    await settle();
    restore();
    expect(await stage.begin(openTurn())).toMatchObject({ kind: 'refused' });
    expect(await ours()).toHaveLength(1);
  });
});
