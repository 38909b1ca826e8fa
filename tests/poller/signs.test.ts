import type { PlanResult } from '@mergexo/core/turns';
import { talk, talkAndSee } from '../stage/answer-all.js';
import {
  createStage,
  DEBOUNCE_MS,
  NAME,
  SECRET,
  SETTLE_MS,
  type Stage,
  type StageOptions,
  WINDOW_MS,
} from '../stage/stage.js';

const fix: PlanResult = { kind: 'pull', title: 'Fix it', summary: 'Fixed.', design: null };
const ask: PlanResult = { kind: 'wait', waitKind: 'agent_blocked', reason: 'Which database?' };
const EYES = 'eyes';

let stage: Stage;
const open = async (options?: StageOptions): Promise<void> => {
  stage = await createStage(options);
};
afterEach(() => stage.close());

const openIssue = (labels = ['agent:bugfix']) =>
  stage.alice.openIssue(NAME, { title: 'Broken', body: 'It fails.', labels });
/** Polls once and sends signs, as the poller does after each cycle. */
const cycle = async (): Promise<void> => {
  stage.advance(DEBOUNCE_MS);
  await stage.poll();
  await stage.sign();
};
const cycles = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i += 1) {
    await cycle();
    await stage.drain();
  }
};
/** Lets the status stay the same until MergeXO edits the comment. */
const settle = async (): Promise<void> => {
  await stage.sign();
  stage.advance(SETTLE_MS);
  await cycle();
};
const openPull = async (): Promise<{ issue: number; pr: number }> => {
  const issue = await openIssue();
  await cycle();
  await stage.work(fix);
  await stage.drain();
  await settle();
  await settle();
  return { issue, pr: stage.state.listRunsOfIssue(stage.repo.id, issue)[0]?.prNumber ?? 0 };
};
const isStatus = ({ body }: { body: string }): boolean => body.includes('kind=issue_status');
const statusesOf = async (issue: number) =>
  (await stage.github.fetchThread(NAME, issue)).comments.filter(isStatus);
const titleOf = async (issue: number) =>
  (await statusesOf(issue)).map(({ body }) => /\*\*Status: (.*)\.\*\*/.exec(body)?.[1]);
const reactionsTo = (subject: 'issue' | 'comment' | 'reviewComment', id: number) => {
  const { store } = stage.twin.world;
  const subjectId = subject === 'issue' ? store.issues.find(({ number }) => number === id)?.id : id;
  return store.reactions
    .filter((row) => row.subject === subject && row.subjectId === subjectId)
    .map(({ content, userId }) => `${store.users.get(userId)?.login}:${content}`);
};
const writesSince = async (work: () => Promise<unknown>): Promise<string[]> => {
  const before = stage.twin.history.list('request').length;
  await work();
  return stage.twin.history
    .list('request')
    .slice(before)
    .filter(({ method, user }) => method !== 'GET' && user === 'robot')
    .map(({ method, path, status }) => `${method} ${path.replace(`/repos/${NAME}/`, '')} ${status}`);
};
const requestsSince = async (work: () => Promise<unknown>): Promise<number> => {
  const before = stage.twin.history.list('request').length;
  await work();
  return stage.twin.history.list('request').length - before;
};
const turns = () => stage.state.listTurnsInState('open');

describe('signs on GitHub: the poller', () => {
  it('reacts to an issue and posts its status comment in the cycle that picks the issue up', async () => {
    await open();
    const issue = await openIssue();
    expect(await writesSince(cycle)).toEqual([
      `POST issues/${issue}/reactions 201`,
      `POST issues/${issue}/comments 201`,
    ]);
    expect(reactionsTo('issue', issue)).toEqual(['robot:eyes']);
    expect(await titleOf(issue)).toEqual(['next: fix a bug']);
    expect(await writesSince(cycle)).toEqual([]);
  });

  it('adds 🚀, and edits the one status comment, once the pull request is open', async () => {
    await open();
    const issue = await openIssue();
    await cycle();
    await stage.work(fix);
    await stage.drain();
    expect(await writesSince(settle)).toEqual([
      `POST issues/${issue}/reactions 201`,
      expect.stringMatching(/^PATCH issues\/comments\/\d+ 200$/),
    ]);
    expect(reactionsTo('issue', issue)).toEqual(['robot:eyes', 'robot:rocket']);
    expect(await titleOf(issue)).toEqual(['ready for review']);
    const [status] = await statusesOf(issue);
    expect(status?.body).toContain('- Pull request: [#2](');
    expect(status?.body).toContain('- So far: 1 turn, less than 5 minutes');
    await stage.alice.merge(NAME, 2);
    await settle();
    await settle();
    expect(await titleOf(issue)).toEqual(['done: the pull request was merged']);
    expect(stage.state.listOpenStatusComments(stage.repo.id)).toEqual([]);
  });

  it('links to the design document on its branch, and after the merge on the default branch', async () => {
    await open();
    const issue = await openIssue(['agent:design']);
    await cycle();
    const path = `docs/design/${issue}-broken.md`;
    const design = { path, priority: 3, touchPaths: ['src/*'], dependsOn: [], estimatedSize: 'S' as const };
    await stage.work({ ...fix, design }, undefined, { [path]: 'Not valid.' });
    await stage.drain();
    await settle();
    await settle();
    const [status] = await statusesOf(issue);
    const branch = stage.state.listRunsOfIssue(stage.repo.id, issue)[0]?.branch;
    expect(status?.body).toMatch(new RegExp(`- Document: \\[.*/${NAME}/blob/${branch}/${path}\\)`));
    await stage.alice.merge(NAME, 2);
    await settle();
    await settle();
    const [merged] = await statusesOf(issue);
    expect(merged?.body).toContain(`/${NAME}/blob/main/${path})`);
  });

  it('reacts to comments and line comments on the pull request, and never to its own', async () => {
    await open();
    const { pr } = await openPull();
    const comment = await stage.alice.comment(NAME, pr, 'Why?');
    const line = await stage.alice.reviewComment(NAME, pr, { path: 'fix.txt', line: 1, body: 'Here too?' });
    expect(await writesSince(cycle)).toEqual([
      `POST issues/comments/${comment}/reactions 201`,
      `POST pulls/comments/${line}/reactions 201`,
    ]);
    await cycle();
    await stage.answer(talk);
    await stage.drain();
    await settle();
    expect(reactionsTo('comment', comment)).toEqual(['robot:eyes', 'robot:rocket']);
    expect(reactionsTo('reviewComment', line)).toEqual(['robot:eyes', 'robot:rocket']);
    expect(stage.twin.world.store.reactions.all()).toHaveLength(6);
    expect(stage.state.listOpenReactions(stage.repo.id).map(({ kind }) => kind)).toEqual(['issue']);
  });

  it('does not take its own edits for news: no turn, no request of the agent, no row', async () => {
    await open();
    const issue = await openIssue();
    await cycle();
    const before = stage.state.listEventsOfThread(stage.repo.id, issue).length;
    await stage.work(ask);
    await stage.drain();
    await settle();
    expect(await titleOf(issue)).toEqual(['waiting for a reply']);
    expect(reactionsTo('issue', issue)).toEqual(['robot:eyes', 'robot:confused']);
    const counted = () => stage.state.listEventsOfThread(stage.repo.id, issue).length;
    await cycles(3);
    expect(turns()).toEqual([]);
    // Only the status comment and the question of the agent are recorded, each once.
    expect(counted() - before).toBe(2);
    const reply = await stage.alice.comment(NAME, issue, 'Postgres.');
    await cycle();
    expect(reactionsTo('comment', reply)).toEqual(['robot:eyes']);
    expect(reactionsTo('issue', issue)).toEqual(['robot:eyes', 'robot:confused']);
    await cycles(2);
    const [turn] = turns();
    expect(JSON.stringify(stage.state.readTurnContext(turn?.turnKey ?? ''))).not.toContain('Status:');
    await settle();
    await stage.work(fix);
    await stage.drain();
    await settle();
    expect(reactionsTo('comment', reply)).toEqual(['robot:eyes', 'robot:rocket']);
    expect(await statusesOf(issue)).toHaveLength(1);
  });

  it('shows the agent no status comment with a comment on the pull request', async () => {
    await open();
    const { pr } = await openPull();
    await stage.alice.comment(NAME, pr, 'Why?');
    await cycles(2);
    expect(JSON.stringify(await talkAndSee(stage))).not.toContain('Status:');
  });

  it('does not react to a comment that it only redirects', async () => {
    await open();
    const { issue } = await openPull();
    const comment = await stage.alice.comment(NAME, issue, 'One more thing');
    await cycles(3);
    expect(reactionsTo('comment', comment)).toEqual([]);
  });

  it('says that a person took over, and then stays silent', async () => {
    await open();
    const { issue, pr } = await openPull();
    await stage.alice.label(NAME, issue, 'agent:ignore');
    await cycle();
    await settle();
    expect(await titleOf(issue)).toEqual(['a person took over, so MergeXO stopped']);
    await stage.alice.comment(NAME, pr, 'Mine now');
    expect(await writesSince(() => cycles(3))).toEqual([]);
    expect(reactionsTo('issue', issue)).toEqual(['robot:eyes', 'robot:rocket']);
  });

  it('removes 😕 once the work continues', async () => {
    await open();
    const issue = await openIssue();
    await cycle();
    await stage.work(ask);
    await stage.drain();
    await settle();
    await stage.alice.comment(NAME, issue, 'Postgres.');
    await cycles(2);
    await stage.work(fix);
    await stage.drain();
    await settle();
    expect(reactionsTo('issue', issue)).toEqual(['robot:eyes', 'robot:rocket']);
  });

  it('says that work is paused and why, without secrets and mentions', async () => {
    await open();
    const issue = await openIssue();
    stage.state.recordPause({ repoId: 0, issueNumber: 0, since: 0, by: 'cli', reason: `@bob ${SECRET}` });
    await cycle();
    const [status] = await statusesOf(issue);
    expect(status?.body).toContain('paused by cli: ');
    expect(status?.body).not.toContain(SECRET);
    expect(status?.body).not.toContain('@bob');
  });

  it('leaves the status comment alone after a person edited it', async () => {
    await open();
    const issue = await openIssue();
    await cycle();
    const [status] = await statusesOf(issue);
    await stage.alice.editComment(NAME, status?.id ?? 0, `Mine.\n\n${status?.body}`);
    await stage.work(fix);
    await stage.drain();
    await settle();
    await cycles(3);
    expect((await statusesOf(issue)).map(({ body }) => body.startsWith('Mine.'))).toEqual([true]);
    expect(stage.state.readStatusComment(stage.repo.id, issue)?.state).toBe('edited');
    expect(turns()).toEqual([]);
  });

  it('does not post the status comment again after a person deleted it', async () => {
    await open();
    const issue = await openIssue();
    await cycle();
    const [status] = await statusesOf(issue);
    await stage.alice.deleteComment(NAME, status?.id ?? 0);
    await stage.work(fix);
    await stage.drain();
    await settle();
    await cycles(3);
    expect(await statusesOf(issue)).toEqual([]);
    expect(stage.state.readStatusComment(stage.repo.id, issue)?.state).toBe('deleted');
  });

  it('edits once the status has stayed the same for 30 seconds, and not while only time passes', async () => {
    await open();
    await openIssue();
    await cycle();
    const [turn] = turns();
    if (turn === undefined) throw new Error('no turn');
    await stage.begin(turn);
    const wait = async (ms: number) => {
      stage.advance(ms);
      await stage.sign();
    };
    await stage.sign();
    expect(await writesSince(() => wait(SETTLE_MS - 1))).toEqual([]);
    expect(await writesSince(() => wait(1))).toEqual([expect.stringMatching(/^PATCH /)]);
    const hour = await writesSince(async () => {
      for (let i = 0; i < 60; i += 1) await wait(60_000);
    });
    expect(hour).toEqual([]);
  });

  it('shows work on a pull request in the status comment only after five minutes', async () => {
    await open();
    const { issue, pr } = await openPull();
    await stage.alice.comment(NAME, pr, 'Why?');
    await cycles(2);
    const [turn] = turns();
    if (turn === undefined) throw new Error('no turn');
    await stage.begin(turn);
    const until = async (ms: number) => {
      for (let i = 0; i < ms; i += SETTLE_MS) {
        stage.advance(SETTLE_MS);
        await stage.sign();
      }
    };
    expect(await writesSince(() => until(9 * SETTLE_MS))).toEqual([]);
    await until(SETTLE_MS);
    expect(await titleOf(issue)).toEqual(['the agent is working (reply to feedback)']);
  });

  it('sends nothing, and reads nothing, while nothing changes', async () => {
    await open();
    await openPull();
    await cycles(3);
    const sign = async () => {
      stage.advance(61_000);
      await stage.sign();
    };
    expect(await requestsSince(sign)).toBe(0);
  });

  it('records every write, of posts and of signs, so that a restart does not reset the budget', async () => {
    await open();
    const writes = await writesSince(openPull);
    expect(writes.filter((line) => line.includes('/reactions')).length).toBeGreaterThan(0);
    expect(stage.state.listGitHubWrites(0)).toHaveLength(writes.length);
    stage.allowWrites(2 * writes.length);
    stage.restart();
    await openIssue();
    expect((await writesSince(cycle)).filter((line) => line.includes('/reactions'))).toEqual([]);
  });

  it('holds back reactions and status comments first: they get half of the write budget, and posts get all of it', async () => {
    await open();
    const issue = await openIssue();
    await stage.poll();
    stage.allowWrites(2);
    await stage.sign();
    expect(reactionsTo('issue', issue)).toEqual(['robot:eyes']);
    expect(await statusesOf(issue)).toEqual([]);
    await stage.work(fix);
    expect(await writesSince(stage.drain)).toEqual(['POST pulls 201']);
    expect(await writesSince(stage.sign)).toEqual([]);
    stage.advance(3_600_001);
    expect(await writesSince(stage.drain)).toHaveLength(1);
    stage.allowWrites(100);
    expect(await writesSince(stage.sign)).toHaveLength(1);
  });

  it('posts no first status comment for work that already has a pull request, and searches once', async () => {
    await open();
    const issue = await openIssue();
    await stage.poll();
    await stage.work(fix);
    await stage.drain();
    expect(await writesSince(cycle)).toEqual([`POST issues/${issue}/reactions 201`]);
    stage.advance(61_000);
    expect(await requestsSince(stage.sign)).toBe(0);
    expect(await statusesOf(issue)).toEqual([]);
  });

  it('finds its status comment again after a database loss, and edits it', async () => {
    await open();
    const { issue, pr } = await openPull();
    await stage.alice.comment(NAME, pr, 'Why?');
    stage.loseState();
    for (let i = 0; i < 4; i += 1) {
      await cycle();
      await stage.drain();
      stage.advance(WINDOW_MS);
    }
    await stage.answer(talk);
    await stage.drain();
    await settle();
    await stage.alice.merge(NAME, pr);
    await settle();
    await settle();
    expect(await titleOf(issue)).toEqual(['done: the pull request was merged']);
    expect(turns()).toEqual([]);
  });

  it.each([
    ['reactions = false', 0, 1],
    ['status_comment = false', 1, 0],
  ])('obeys %s', async (repoKeys, reactions, comments) => {
    await open({ repoKeys });
    const issue = await openIssue();
    await cycle();
    expect([reactionsTo('issue', issue).length, (await statusesOf(issue)).length]).toEqual([
      reactions,
      comments,
    ]);
  });

  it('keeps a reaction that a person added with the same login', async () => {
    await open({ poster: 'alice' });
    const { pr } = await openPull();
    const comment = await stage.alice.comment(NAME, pr, 'Why?');
    await stage.alice.react(NAME, comment, EYES);
    await cycles(2);
    await stage.answer(talk);
    await stage.drain();
    await settle();
    expect(reactionsTo('comment', comment)).toEqual(['alice:eyes', 'alice:rocket']);
  });

  it('ignores a copy of its status comment on its own login, and answers a person who quotes it', async () => {
    await open({ poster: 'alice' });
    const issue = await openIssue();
    await cycle();
    const [first] = await statusesOf(issue);
    await stage.work(ask);
    await stage.drain();
    await settle();
    await stage.alice.comment(NAME, issue, first?.body ?? '');
    await cycles(3);
    expect(turns()).toEqual([]);
    expect(stage.state.readRepoWatch(stage.repo.id)?.rebuiltAt ?? null).toBeNull();
    const [latest] = await statusesOf(issue);
    await stage.alice.comment(NAME, issue, `Postgres.\n\n${latest?.body}`);
    await cycles(3);
    expect(turns()).toHaveLength(1);
    expect(stage.state.readStatusComment(stage.repo.id, issue)?.state).toBe('posted');
  });
});

describe('a sign that GitHub refuses', () => {
  const REACT = 'POST /repos/{owner}/{repo}/issues/{issue_number}/reactions';
  const refusals = () =>
    stage.state
      .listEventsAfter(0, 1_000)
      .filter(({ type }) => type === 'sign_refused' || type === 'outbox_paused');

  it('never pauses the repository, and is recorded once', async () => {
    await open();
    const route = REACT;
    stage.twin.control.fault({
      kind: 'error',
      status: 403,
      message: 'Resource not accessible',
      route,
      times: null,
    });
    const { issue } = await openPull();
    const other = await openIssue();
    await cycles(3);
    expect(refusals().map(({ type }) => type)).toEqual(['sign_refused']);
    expect([issue, other].map((number) => reactionsTo('issue', number))).toEqual([[], []]);
    expect((await stage.github.fetchThread(NAME, issue)).comments.length).toBeGreaterThan(0);
  });

  it.each([404, 410, 422])('for good with %i is not sent again', async (status) => {
    await open();
    const fault = stage.twin.control.fault({ kind: 'error', status, route: REACT, times: null });
    const issue = await openIssue();
    await cycles(2);
    fault.clear();
    stage.advance(3_600_001);
    await cycles(2);
    expect(reactionsTo('issue', issue)).toEqual([]);
  });

  it('because of a rate limit waits as long as GitHub asks, and then continues', async () => {
    await open();
    stage.twin.control.fault({ kind: 'secondary-limit', status: 403, retryAfterSeconds: 120, route: REACT });
    const issue = await openIssue();
    await cycles(3);
    expect(reactionsTo('issue', issue)).toEqual([]);
    stage.advance(121_000);
    await cycle();
    expect(reactionsTo('issue', issue)).toEqual(['robot:eyes']);
  });
});
