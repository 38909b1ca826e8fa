import type { PlanResult } from '@mergexo/core/turns';
import { talk } from '../stage/answer-all.js';
import { createStage, DEBOUNCE_MS, NAME, type Stage, WINDOW_MS } from '../stage/stage.js';

const fix: PlanResult = { kind: 'pull', title: 'Fix it', summary: 'Fixed.', design: null };

describe('after a total loss of the database, MergeXO', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await createStage({ room: 50 });
  });
  afterEach(() => stage.close());

  const cycle = async (times = 1) => {
    for (let i = 0; i < times; i += 1) {
      stage.advance(DEBOUNCE_MS);
      await stage.poll();
      for (let turns = stage.state.listTurnsInState('open'); turns.length > 0; ) {
        if (turns[0]?.prNumber === null) await stage.work(fix);
        else await stage.answer(talk);
        turns = stage.state.listTurnsInState('open');
      }
      for (let j = 0; j < 3; j += 1) await stage.drain();
    }
  };
  const makePulls = async (count: number): Promise<number[]> => {
    for (let i = 1; i <= count; i += 1)
      await stage.alice.openIssue(NAME, { title: `Broken ${i}`, labels: ['agent:bugfix'] });
    await cycle(2);
    return stage.state.listWatchedPulls(stage.repo.id).map(({ prNumber }) => prNumber);
  };
  const writesSince = (mark: number) =>
    stage.twin.history
      .list('request')
      .slice(mark)
      // The only GraphQL requests here are queries for resolved threads.
      .filter(({ method, path }) => method !== 'GET' && path !== '/graphql');
  const mark = () => stage.twin.history.list('request').length;
  const answersOf = async (pr: number) => {
    const { comments } = await stage.github.fetchThread(NAME, pr);
    const { comments: lines } = await stage.github.fetchReviewComments(NAME, pr);
    return [...comments, ...lines].filter(({ body }) => body.startsWith('Answer to'));
  };

  it('repeats nothing, and answers unanswered comments', async () => {
    const [a = 0, b = 0, c = 0, blocked = 0, merged = 0, closed = 0] = await makePulls(6);
    for (const pr of [a, b, c, blocked]) {
      for (let i = 0; i < 2; i += 1) await stage.alice.comment(NAME, pr, `Remark ${i}`);
      await stage.alice.reviewComment(NAME, pr, { path: 'fix.txt', line: 1, body: 'Why?' });
    }
    await cycle(3);
    expect((await Promise.all([a, b, c, blocked].map(answersOf))).map(({ length }) => length)).toEqual([
      2, 2, 2, 2,
    ]);
    const { branch = '' } = stage.state.readPull(stage.repo.id, blocked) ?? {};
    await stage.alice.forcePush(NAME, branch, { 'other.txt': 'x' });
    await stage.alice.comment(NAME, blocked, 'Hello?');
    await stage.alice.merge(NAME, merged);
    await stage.alice.close(NAME, closed);
    await cycle(3);
    expect(stage.state.readPull(stage.repo.id, blocked)?.status).toBe('blocked');
    await stage.alice.comment(NAME, a, 'One more thing.');
    await stage.alice.reviewComment(NAME, b, { path: 'fix.txt', line: 2, body: 'And here?' });

    stage.loseState();
    const before = mark();
    await cycle(1);
    expect(stage.state.listTurnsInState('open')).toEqual([]);
    stage.advance(WINDOW_MS);
    await cycle(4);

    expect(writesSince(before).map(({ path }) => path)).toHaveLength(2);
    expect((await Promise.all([a, b, c, blocked].map(answersOf))).map(({ length }) => length)).toEqual([
      3, 3, 2, 2,
    ]);
    const statuses = [a, b, c, blocked, merged, closed].map(
      (pr) => stage.state.readPull(stage.repo.id, pr)?.status,
    );
    expect(statuses).toEqual([
      'awaiting_feedback',
      'awaiting_feedback',
      'awaiting_feedback',
      'blocked',
      'merged',
      'closed',
    ]);
  });

  it('does not repeat commands, but obeys a command that it had not read before the loss', async () => {
    const [a = 0, blocked = 0] = await makePulls(2);
    await stage.alice.comment(NAME, a, '/mergexo status');
    const { branch = '' } = stage.state.readPull(stage.repo.id, blocked) ?? {};
    const head = await stage.alice.forcePush(NAME, branch, { 'other.txt': 'x' });
    await stage.alice.comment(NAME, blocked, 'Hello?');
    await cycle(3);
    expect(stage.state.readPull(stage.repo.id, blocked)?.status).toBe('blocked');
    await stage.alice.comment(NAME, blocked, `/mergexo unblock head_sha=${head}`);
    stage.loseState();
    const before = mark();
    await cycle(1);
    stage.advance(WINDOW_MS);
    await cycle(4);
    const { comments } = await stage.github.fetchThread(NAME, a);
    expect(comments.filter(({ body }) => body.startsWith('- status:'))).toHaveLength(1);
    expect(stage.state.readPull(stage.repo.id, blocked)).toMatchObject({
      status: 'awaiting_feedback',
      acceptedHeadSha: head,
    });
    // The two writes are the reply to the command and the answer to the waiting comment.
    expect(writesSince(before)).toHaveLength(2);
  });

  it('continues an interrupted rebuild, and keeps blocked pull requests blocked', async () => {
    const [blocked = 0] = await makePulls(1);
    const { branch = '' } = stage.state.readPull(stage.repo.id, blocked) ?? {};
    await stage.alice.forcePush(NAME, branch, { 'other.txt': 'x' });
    await stage.alice.comment(NAME, blocked, 'Hello?');
    await cycle(3);
    stage.loseState();
    const before = mark();
    stage.twin.control.fault({
      kind: 'error',
      when: 'before',
      status: 502,
      route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
    });
    await expect(stage.poll()).rejects.toMatchObject({ kind: 'unavailable' });
    stage.advance(WINDOW_MS);
    await cycle(4);
    expect(stage.state.readPull(stage.repo.id, blocked)?.status).toBe('blocked');
    expect(writesSince(before)).toEqual([]);
  });

  it('does not answer an edited review twice', async () => {
    const [a = 0] = await makePulls(1);
    const id = await stage.alice.submitReview(NAME, a, { event: 'COMMENT', body: 'One.' });
    await cycle(2);
    await stage.alice.request('PUT', `/repos/${NAME}/pulls/${a}/reviews/${id}`, { body: 'Two.' });
    await cycle(3);
    expect(await answersOf(a)).toHaveLength(2);
    stage.loseState();
    const before = mark();
    stage.advance(WINDOW_MS);
    await cycle(4);
    expect(writesSince(before)).toEqual([]);
  });

  it('respects a takeover: posts no redirect and no reply until the label is removed', async () => {
    const [a = 0] = await makePulls(1);
    const { issueNumber = 0 } = stage.state.readPull(stage.repo.id, a) ?? {};
    await stage.alice.label(NAME, issueNumber, 'agent:ignore');
    await cycle(1);
    stage.advance(60_000);
    await stage.alice.comment(NAME, issueNumber, 'I do it myself.');
    await stage.alice.comment(NAME, a, 'What is this?');
    await cycle(2);
    stage.loseState();
    const before = mark();
    await cycle(1);
    stage.advance(WINDOW_MS);
    await cycle(3);
    expect(writesSince(before)).toEqual([]);
    await stage.alice.unlabel(NAME, issueNumber, 'agent:ignore');
    await cycle(3);
    // Comments made during the takeover look like earlier comments, so MergeXO answers all of them instead of
    // risking the loss of one.
    expect(writesSince(before)).toHaveLength(2);
  });

  it('finds an unlabeled issue that it worked on when somebody comments on it', async () => {
    await makePulls(1);
    const number = await stage.alice.openIssue(NAME, { title: 'Vague' });
    await stage.alice.comment(NAME, number, '/mergexo bugfix');
    stage.advance(2_000);
    await stage.poll();
    await stage.work({ kind: 'wait', waitKind: 'agent_blocked', reason: 'Which one?' });
    for (let i = 0; i < 3; i += 1) await stage.drain();
    stage.loseState();
    await stage.poll();
    stage.advance(WINDOW_MS);
    await stage.poll();
    expect(stage.state.listRunsOfIssue(stage.repo.id, number)).toEqual([]);
    await stage.alice.comment(NAME, number, 'The second.');
    stage.advance(2_000);
    // MergeXO retries a failed search. The failure does not delay other work.
    stage.twin.control.fault({
      kind: 'error',
      status: 502,
      route: 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
      path: `/repos/${NAME}/issues/${number}/comments`,
    });
    await stage.poll();
    await stage.poll();
    // The question was not recorded, so other posts may be missing too. MergeXO opens no turn for one window.
    stage.advance(WINDOW_MS);
    await stage.poll();
    await stage.poll();
    expect(stage.state.listTurnsInState('open')).toMatchObject([{ issueNumber: number }]);
  });

  it('does not restart an issue that waits for a reply', async () => {
    const number = await stage.alice.openIssue(NAME, { title: 'Vague', labels: ['agent:bugfix'] });
    await stage.poll();
    await stage.work({ kind: 'wait', waitKind: 'agent_blocked', reason: 'Which one?' });
    for (let i = 0; i < 3; i += 1) await stage.drain();
    stage.loseState();
    const before = mark();
    stage.advance(WINDOW_MS);
    await cycle(3);
    expect(writesSince(before)).toEqual([]);
    expect(stage.state.listRunsOfIssue(stage.repo.id, number)).toMatchObject([
      { status: 'awaiting_issue_followup' },
    ]);
  });
});

describe('with many pull requests and comments, MergeXO', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await createStage({ room: 500 });
  });
  afterEach(() => stage.close());

  async function makePulls(count: number): Promise<number[]> {
    for (let i = 1; i <= count; i += 1)
      await stage.alice.openIssue(NAME, { title: `Broken ${i}`, labels: ['agent:bugfix'] });
    await stage.poll();
    for (let i = 1; i <= count; i += 1) await stage.work(fix);
    for (let i = 0; i < 3; i += 1) await stage.drain();
    for (let i = 0; i < 4; i += 1) {
      stage.advance(DEBOUNCE_MS);
      await stage.poll();
    }
    return stage.state.listWatchedPulls(stage.repo.id).map(({ prNumber }) => prNumber);
  }

  it('sends at most six requests per poll while 100 pull requests are idle, and every response is a 304', async () => {
    const pulls = await makePulls(100);
    expect(pulls).toHaveLength(100);
    // The poller reads reviews and external checks in turn. After one round, it has read all of them.
    stage.advance(11 * 60_000);
    for (let i = 0; i < 21; i += 1) await stage.poll();
    const before = stage.twin.history.list('request').length;
    await stage.poll();
    const asked = stage.twin.history.list('request').slice(before);
    expect(asked.length).toBeLessThanOrEqual(6);
    expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 304));

    await stage.alice.comment(NAME, pulls[57] ?? 0, 'Hm.');
    await stage.poll();
    stage.advance(DEBOUNCE_MS);
    await stage.poll();
    expect(stage.state.listTurnsInState('open').map(({ prNumber }) => prNumber)).toEqual([pulls[57]]);
  });

  it('answers each of 250 comments once, including 40 within the same second', async () => {
    const [pr = 0] = await makePulls(1);
    for (let i = 0; i < 250; i += 1) {
      await stage.alice.comment(NAME, pr, `Remark ${i}`);
      if (i >= 40) stage.advance(1_000);
    }
    const answered: number[] = [];
    let turns = 0;
    for (let i = 0; i < 12; i += 1) {
      stage.advance(DEBOUNCE_MS);
      await stage.poll();
      for (const _turn of stage.state.listTurnsInState('open')) {
        turns += 1;
        await stage.answer(async (context, begun) => {
          answered.push(...context.events.map(({ id }) => id));
          return talk(context, begun);
        });
      }
      for (let j = 0; j < 3; j += 1) await stage.drain();
    }
    expect(answered).toHaveLength(250);
    expect(new Set(answered).size).toBe(250);
    expect(turns).toBeLessThanOrEqual(4);
    expect(stage.state.listUnclaimedEvents(stage.repo.id, pr)).toEqual([]);
  });
});
