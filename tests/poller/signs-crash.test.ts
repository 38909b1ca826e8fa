import { armFailpoint } from '@mergexo/core/basics';
import type { PlanResult } from '@mergexo/core/turns';
import { talk } from '../stage/answer-all.js';
import { Crash, createStage, DEBOUNCE_MS, NAME, type Stage, WINDOW_MS } from '../stage/stage.js';

const fix: PlanResult = { kind: 'pull', title: 'Fix it', summary: 'Fixed.', design: null };
const POINTS = ['poller:sign-sending', 'poller:sign-answered', 'poller:sign-recorded'];
/** The story below sends this many signs. */
const SIGNS = 8;
const COMMENT = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
const REACT = 'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions';

describe('a crash or a lost response while signs are sent', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await createStage();
  });
  afterEach(async () => {
    armFailpoint('poller:sign-sending', () => {});
    await stage.close();
  });

  const run = () => stage.state.listRunsOfIssue(stage.repo.id, 1)[0];
  const robotComments = async () =>
    (await stage.github.fetchThread(NAME, 1)).comments.filter(({ author }) => author.login === 'robot');
  const reactions = () =>
    stage.twin.world.store.reactions.all().map(({ subject, content }) => `${subject}:${content}`);

  /** Sends signs, and restarts the poller after a crash. */
  const sign = async (): Promise<void> => {
    try {
      await stage.sign();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      stage.restart();
    }
  };
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 4; i += 1) {
      stage.advance(Math.max(WINDOW_MS / 2, DEBOUNCE_MS));
      await stage.poll();
      await stage.drain();
      await sign();
    }
  };

  /** An issue, its pull request, a comment, its answer, and the merge. */
  const play = async (): Promise<void> => {
    await stage.alice.openIssue(NAME, { title: 'Broken', body: 'x', labels: ['agent:bugfix'] });
    await settle();
    await stage.work(fix);
    await settle();
    await stage.alice.comment(NAME, run()?.prNumber ?? 0, 'Why?');
    await settle();
    await stage.answer(talk);
    await settle();
    await stage.alice.merge(NAME, run()?.prNumber ?? 0);
    await settle();
  };
  const expectOneOfEach = async (): Promise<void> => {
    const [first, second, ...rest] = await robotComments();
    expect(rest).toEqual([]);
    expect([first, second].map((comment) => comment?.body.includes('kind=issue_status'))).toEqual([
      true,
      false,
    ]);
    expect(first?.body).toContain('**Status: done: the pull request was merged.**');
    expect(reactions().sort()).toEqual(['comment:eyes', 'comment:rocket', 'issue:eyes', 'issue:rocket']);
    expect(stage.state.listOpenReactions(stage.repo.id)).toEqual([]);
    expect(stage.state.listTurnsInState('open')).toEqual([]);
  };

  it.each(POINTS.flatMap((point) => Array.from({ length: SIGNS }, (_, i) => `${point}#${i + 1}`)))(
    'at %s: MergeXO loses and repeats no status comment and no reaction',
    async (point) => {
      let crashes = 0;
      armFailpoint(point, () => {
        crashes += 1;
        throw new Crash(point);
      });
      await play();
      expect(crashes).toBe(1);
      await expectOneOfEach();
    },
  );

  it.each([
    ['the status comment', COMMENT],
    ['a reaction', REACT],
  ])('posts %s once if GitHub applied the request without a response', async (_what, route) => {
    stage.twin.control.fault({ kind: 'drop', when: 'after', route });
    await play();
    await expectOneOfEach();
  });

  it('posts the status comment again only after the window, if GitHub never got the request', async () => {
    stage.twin.control.fault({ kind: 'drop', when: 'before', route: COMMENT });
    await stage.alice.openIssue(NAME, { title: 'Broken', body: 'x', labels: ['agent:bugfix'] });
    await stage.poll();
    await stage.sign();
    // A restart forgets when the request ended, so the window begins again.
    stage.restart();
    stage.advance(WINDOW_MS - 1_000);
    await stage.sign();
    expect(await robotComments()).toEqual([]);
    stage.advance(WINDOW_MS);
    await stage.sign();
    expect(await robotComments()).toHaveLength(1);
  });

  it('does not take a status comment that it has not recorded yet for a sign of a lost database', async () => {
    stage.twin.control.fault({ kind: 'drop', when: 'after', route: COMMENT });
    await stage.alice.openIssue(NAME, { title: 'Broken', body: 'x', labels: ['agent:bugfix'] });
    await stage.poll();
    await stage.sign();
    stage.advance(DEBOUNCE_MS);
    await stage.poll();
    expect(stage.state.readRepoWatch(stage.repo.id)?.rebuiltAt ?? null).toBeNull();
  });
});
