import { createStage, DEBOUNCE_MS, NAME, WINDOW_MS } from '../stage/stage.js';

it.each([
  ['names the rewritten head in its plan', true],
  ['does not mention the rewrite', false],
])('blocks a pull request whose branch a worker rewrote, if the worker %s', async (_what, isNamed) => {
  const stage = await createStage();
  try {
    await stage.alice.openIssue(NAME, { title: 'x', body: 'x', labels: ['agent:bugfix'] });
    stage.advance(DEBOUNCE_MS);
    await stage.poll();
    const result = { kind: 'pull', title: 'Fix it', summary: 'Fixed.', design: null } as const;
    const { runId, branch } = await stage.work(result);
    for (let i = 0; i < 3; i += 1) await stage.drain();
    const pr = stage.state.readRun(runId)?.prNumber ?? 0;
    await stage.alice.pushFiles(NAME, branch, { 'human.txt': 'work of a person\n' });
    stage.advance(2_000);
    await stage.poll();
    await stage.alice.comment(NAME, pr, 'Please rename it.');
    await stage.poll();
    stage.advance(DEBOUNCE_MS);
    await stage.poll();
    await stage.answer(async (context) => {
      const sha = await stage.twin.as('robot').forcePush(NAME, context.branch, { 'other.txt': 'x\n' });
      return { result: { kind: 'answer', replies: [], general: 'Renamed.' }, sha: isNamed ? sha : null };
    });
    for (let i = 0; i < 4; i += 1) {
      await stage.drain();
      stage.advance(WINDOW_MS);
      await stage.poll();
    }
    const pull = stage.state.readPull(stage.repo.id, pr);
    expect(pull).toMatchObject({ status: 'blocked', blockedKind: 'history_rewritten' });
    const { comments } = await stage.github.fetchThread(NAME, pr);
    expect(comments.map(({ body }) => body).filter((body) => body.startsWith('Renamed.'))).toEqual([]);
  } finally {
    await stage.close();
  }
});
