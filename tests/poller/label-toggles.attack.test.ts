import { createStage, DEBOUNCE_MS, NAME } from '../stage/stage.js';

it('posts one notice per wait, however often a person toggles the label', async () => {
  const stage = await createStage();
  try {
    const about = { title: 'x', body: 'x', labels: ['agent:bugfix'] };
    const issue = await stage.alice.openIssue(NAME, about);
    stage.advance(DEBOUNCE_MS);
    await stage.poll();
    const waitForReply = async (): Promise<void> => {
      await stage.work({ kind: 'wait', waitKind: 'agent_blocked', reason: 'Which color?' });
      for (let i = 0; i < 3; i += 1) await stage.drain();
      await stage.poll();
    };
    const bob = stage.twin.as('bob');
    const toggle = async (): Promise<void> => {
      for (let i = 0; i < 3; i += 1) {
        for (const change of ['unlabel', 'label'] as const) {
          stage.advance(2_000);
          await bob[change](NAME, issue, 'agent:bugfix');
          await stage.poll();
        }
        for (let j = 0; j < 2; j += 1) await stage.drain();
      }
    };
    const countNotices = async (): Promise<number> =>
      (await stage.github.fetchThread(NAME, issue)).comments.filter(({ body }) =>
        body.startsWith('MergeXO is already working on this issue'),
      ).length;
    await waitForReply();
    await toggle();
    expect(await countNotices()).toBe(1);
    stage.advance(2_000);
    await stage.alice.comment(NAME, issue, 'Blue.');
    await stage.poll();
    stage.advance(DEBOUNCE_MS);
    await stage.poll();
    await waitForReply();
    await toggle();
    expect(await countNotices()).toBe(2);
  } finally {
    await stage.close();
  }
});
