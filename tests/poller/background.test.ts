import { type PlanResult, StartContext } from '@mergexo/core/turns';
import { talk, talkAndSee } from '../stage/answer-all.js';
import { createStage, DEBOUNCE_MS, NAME, type Stage } from '../stage/stage.js';

const fix: PlanResult = { kind: 'pull', title: 'Fix it', summary: 'Fixed.', design: null };

describe('the background that the agent gets', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await createStage({});
  });
  afterEach(() => stage.close());

  const poll = async () => {
    stage.advance(DEBOUNCE_MS);
    await stage.poll();
  };
  const openIssue = (body: string) =>
    stage.alice.openIssue(NAME, { title: 'Broken', body, labels: ['agent:bugfix'] });
  const openPull = async (body = 'x') => {
    const issue = await openIssue(body);
    await stage.poll();
    const { runId, branch } = await stage.work(fix);
    await stage.drain();
    await poll();
    return { issue, pr: stage.state.readRun(runId)?.prNumber ?? 0, branch };
  };
  const seeFeedback = async () => {
    await poll();
    await poll();
    return talkAndSee(stage);
  };
  const startContext = () => {
    const turn = stage.state.listTurnsInState('open')[0];
    return StartContext.parse(stage.state.readTurnContext(turn?.turnKey ?? ''));
  };

  it('contains issues that the texts mention, if an allowed person wrote them', async () => {
    const first = await stage.alice.openIssue(NAME, { title: 'The cause', body: 'A'.repeat(10) });
    const stranger = await stage.twin.as('mallory').openIssue(NAME, { title: 'Ads', body: 'Buy!' });
    await openIssue(`See #${first}, #${stranger}, #999 and other/app#1.`);
    await poll();
    expect(startContext().linked).toMatchObject([
      { number: first, title: 'The cause', status: 'open', author: 'alice', isPullRequest: false },
    ]);
  });

  it('contains no issue that only a linked issue mentions', async () => {
    const far = await stage.alice.openIssue(NAME, { title: 'Far away' });
    const near = await stage.alice.openIssue(NAME, { title: 'The cause', body: `Like #${far}.` });
    await openIssue(`See #${near}.`);
    await poll();
    const { linked, unreadLinks } = startContext();
    expect([linked.map(({ number }) => number), unreadLinks]).toEqual([[near], []]);
  });

  it('contains at most five linked issues, and the numbers of the others', async () => {
    const numbers: number[] = [];
    for (let i = 0; i < 8; i += 1) numbers.push(await stage.alice.openIssue(NAME, { title: `${i}` }));
    await openIssue(numbers.map((number) => `#${number}`).join(' '));
    await poll();
    const { linked, unreadLinks } = startContext();
    expect(linked.map(({ number }) => number)).toEqual(numbers.slice(0, 5));
    expect(unreadLinks).toEqual(numbers.slice(5));
  });

  it('contains the comments on the issue when people comment on the pull request', async () => {
    const { issue, pr } = await openPull();
    await stage.alice.comment(NAME, issue, 'Only on Linux.');
    await stage.twin.as('mallory').comment(NAME, issue, 'Buy!');
    await poll();
    await stage.drain();
    const cause = await stage.alice.openIssue(NAME, { title: 'The cause' });
    await stage.alice.comment(NAME, pr, `Is this the same as #${cause}?`);
    const { issueComments, linked, events } = await seeFeedback();
    expect(issueComments).toMatchObject([{ author: 'alice', role: 'OWNER', body: 'Only on Linux.' }]);
    expect(linked).toMatchObject([{ number: cause }]);
    expect(events).toMatchObject([{ role: 'OWNER', outdated: null, isResolved: false }]);
  });

  it('contains the range of a comment, and whether its lines have changed since', async () => {
    const { pr, branch } = await openPull();
    const path = 'src/long.txt';
    const text = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
    await stage.alice.pushFiles(NAME, branch, { [path]: `${text.join('\n')}\n` });
    const { headSha } = (await stage.github.fetchReviewComments(NAME, pr)).pull;
    await stage.alice.reviewComment(NAME, pr, { path, start_line: 4, line: 6, body: 'Shorter.' });
    await stage.alice.reviewComment(NAME, pr, { path, start_line: 15, line: 16, body: 'Why?' });
    const changed = text.map((line, index) => (index === 15 ? 'sixteen' : line));
    await stage.alice.pushFiles(NAME, branch, { [path]: `${changed.join('\n')}\n` });
    const { events } = await seeFeedback();
    expect(events).toMatchObject([
      { startLine: 4, line: 6, outdated: null, diffHunk: expect.stringMatching(/\+line 6$/) },
      { startLine: null, line: null, outdated: { sha: headSha, startLine: 15, line: 16 } },
    ]);
  });

  it('contains a range that starts on the base side of the diff', async () => {
    const { pr, branch } = await openPull();
    await stage.alice.pushFiles(NAME, branch, { 'README.md': 'hello\nworld\n' });
    const range = { path: 'README.md', start_line: 1, start_side: 'LEFT', line: 2 } as const;
    await stage.alice.reviewComment(NAME, pr, { ...range, body: 'Why?' });
    const { events } = await seeFeedback();
    expect(events).toMatchObject([
      { startLine: null, startsAt: { side: 'LEFT', line: 1 }, line: 2, side: 'RIGHT', outdated: null },
    ]);
  });

  it('marks a new comment that somebody resolved at once', async () => {
    const { pr } = await openPull();
    const id = await stage.alice.reviewComment(NAME, pr, { path: 'fix.txt', line: 1, body: 'Why?' });
    await stage.github.resolveReviewThread(NAME, pr, id);
    const { events } = await seeFeedback();
    expect(events).toMatchObject([{ id, isResolved: true }]);
  });

  it('marks a reply in a resolved thread', async () => {
    const { pr } = await openPull();
    const id = await stage.alice.reviewComment(NAME, pr, { path: 'fix.txt', line: 1, body: 'Why?' });
    await poll();
    await poll();
    await stage.answer(talk);
    for (let i = 0; i < 3; i += 1) await stage.drain();
    await stage.github.resolveReviewThread(NAME, pr, id);
    await stage.alice.reply(NAME, id, 'And now?');
    const { events, reviewComments } = await seeFeedback();
    expect(events).toMatchObject([{ isResolved: true }]);
    expect(reviewComments[0]).toMatchObject({ id, isResolved: true });
  });
});
