import { talk } from '../stage/answer-all.js';
import { createStage, DEBOUNCE_MS, NAME, type Stage, WINDOW_MS } from '../stage/stage.js';

const COMMENTS = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';

describe('when GitHub refuses a post for good, the poller', () => {
  let stage: Stage;
  let pr = 0;
  beforeEach(async () => {
    stage = await createStage();
    await stage.alice.openIssue(NAME, { title: 'x', body: 'x', labels: ['agent:bugfix'] });
    await wait();
    const result = { kind: 'pull', title: 'Fix it', summary: 'Fixed.', design: null } as const;
    const { runId } = await stage.work(result);
    for (let i = 0; i < 3; i += 1) await stage.drain();
    pr = stage.state.readRun(runId)?.prNumber ?? 0;
  });
  afterEach(() => stage.close());

  const wait = async (): Promise<void> => {
    stage.advance(DEBOUNCE_MS);
    await stage.poll();
  };
  const post = async (): Promise<void> => {
    for (let i = 0; i < 5; i += 1) {
      stage.advance(WINDOW_MS);
      await stage.poll();
      await stage.drain();
    }
  };
  const said = async (): Promise<string[]> =>
    (await stage.github.fetchThread(NAME, pr)).comments.map(({ body }) => body);
  const ask = async (isOnLine = false): Promise<void> => {
    const body = 'Which types change?';
    const comments = [{ path: 'fix.txt', line: 1, body }];
    if (isOnLine) await stage.alice.submitReview(NAME, pr, { event: 'COMMENT', body: '', comments });
    else await stage.alice.comment(NAME, pr, body);
    await stage.poll();
    await wait();
  };

  it.each([
    ['a reply', true],
    ['a general comment', false],
  ])('posts %s with a lot of escaped HTML', async (_what, isOnLine) => {
    const body = 'Map<String, Vec<T>>\n'.repeat(3_000);
    await ask(isOnLine);
    await stage.answer(async ({ events }) => ({
      result: {
        kind: 'answer',
        replies: isOnLine
          ? events.map(({ id, rootId }) => ({ commentId: id, rootId: rootId ?? id, body }))
          : [],
        general: isOnLine ? null : body,
      },
      sha: null,
    }));
    await post();
    const lines = (await stage.github.fetchReviewComments(NAME, pr)).comments.map((line) => line.body);
    const posted = [...lines, ...(await said())].filter((text) => text.includes('more characters omitted'));
    expect(posted).toHaveLength(1);
    expect(stage.state.listActionsOfThread(stage.repo.id, pr, 100).map(({ state }) => state)).not.toContain(
      'refused',
    );
  });

  it.each([
    ['a reply and its replacement', true, 2, 422],
    ['a general comment', false, 1, 422],
    ['a general comment that GitHub cannot read', false, 1, 400],
  ])('reports that it could not post %s', async (_what, isOnLine, times, status) => {
    await ask(isOnLine);
    await stage.answer(talk);
    const replies = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies';
    const fault = { kind: 'error', status, when: 'before', times: 1 } as const;
    if (times === 2) stage.twin.control.fault({ ...fault, route: replies });
    stage.twin.control.fault({ ...fault, route: COMMENTS });
    await post();
    expect((await said()).filter((text) => text.startsWith('MergeXO could not post its reply'))).toHaveLength(
      1,
    );
    expect(stage.state.listTurnsInState('speaking')).toEqual([]);
  });
});
