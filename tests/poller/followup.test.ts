import { verifyBody } from '@mergexo/core/outbox';
import { type PlanResult, StartContext } from '@mergexo/core/turns';
import { eventually } from '@mergexo/testkit';
import { createStage, DEBOUNCE_MS, keys, NAME, type Stage, WINDOW_MS } from '../stage/stage.js';

const fix: PlanResult = { kind: 'pull', title: 'Fix the login', summary: 'It works again.', design: null };
const blocked = (reason: string): PlanResult => ({ kind: 'wait', waitKind: 'agent_blocked', reason });

describe('comments on an issue: the poller', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await createStage();
  });
  afterEach(() => stage.close());

  const openIssue = (title = 'Login broken') =>
    stage.alice.openIssue(NAME, { title, body: 'It fails.', labels: ['agent:bugfix'] });
  const say = (number: number, body: string, who = 'alice') => stage.twin.as(who).comment(NAME, number, body);
  const commentsOf = async (number: number) => (await stage.github.fetchThread(NAME, number)).comments;
  const ourWords = async (number: number) =>
    (await commentsOf(number)).filter(({ author }) => author.login === 'robot').map(({ body }) => body);
  const pulls = () => stage.github.fetchPullsOfBranch(NAME, 'agent/bugfix/1-login-broken');
  const openTurns = () => stage.state.listTurnsInState('open');
  const contextOf = (turnKey: string | undefined) =>
    StartContext.parse(stage.state.readTurnContext(turnKey ?? ''));
  const run = (issue = 1) => stage.state.listRunsOfIssue(stage.repo.id, issue)[0];
  /** Polls, lets the debounce period pass, and polls again. */
  const settle = async () => {
    await stage.poll();
    stage.advance(DEBOUNCE_MS + 2_000);
    await stage.poll();
  };
  /** Creates an issue, and plays its start turn until the pull request is open. */
  const openPull = async (title?: string) => {
    const number = await openIssue(title);
    await stage.poll();
    await stage.work(fix);
    await stage.drain();
    return number;
  };
  /** Creates an issue, and plays a start turn that ends with a question. The turn may push files. */
  const block = async (reason = 'Which database?', files?: Record<string, string>) => {
    const number = await openIssue();
    await stage.poll();
    await stage.work(blocked(reason), undefined, files);
    await stage.drain();
    return number;
  };
  const eventTypes = () =>
    stage.state
      .listEventsAfter(0, 1_000)
      .map(({ type }) => type)
      .filter((type) => type.startsWith('pre_pr_') || type.startsWith('source_'));

  it('notices that a person edited a MergeXO comment on the issue', async () => {
    const number = await block();
    const [ours] = (await commentsOf(number)).filter(({ author }) => author.login === 'robot');
    await stage.poll();
    stage.advance(2_000);
    await stage.alice.editComment(NAME, ours?.id ?? 0, 'Changed by Alice.');
    await settle();
    await settle();
    const mismatches = stage.state
      .listEventsAfter(0, 1_000)
      .filter(({ type }) => type === 'action_mismatch')
      .map(({ issueNumber, payload }) => [issueNumber, payload]);
    expect(mismatches).toEqual([[number, { what: 'edited', comment_id: ours?.id, action: 'wait_comment' }]]);
    expect(openTurns()).toEqual([]);
  });

  it.each([
    ['before the redirect of a comment was posted', true],
    ['before somebody commented', false],
  ])(
    'redirects comments when the pull request is reopened, if it was closed %s',
    async (_when, commentsFirst) => {
      const number = await openPull();
      await settle();
      const pull = run()?.prNumber ?? 0;
      if (commentsFirst) {
        await say(number, 'One more thing.');
        await settle();
      }
      await stage.alice.close(NAME, pull);
      await settle();
      if (!commentsFirst) {
        await say(number, 'One more thing.');
        await settle();
      }
      await stage.drain();
      const redirects = async () =>
        (await ourWords(number)).filter((body) =>
          body.includes('no longer acts on comments here, including'),
        );
      expect(await redirects()).toEqual([]);
      stage.advance(2_000);
      await stage.alice.reopen(NAME, pull);
      await settle();
      await stage.drain();
      await settle();
      await stage.drain();
      expect(await redirects()).toHaveLength(1);
    },
  );

  it('pushes the commits of a blocked run as a checkpoint, and links the checkpoint', async () => {
    const number = await block('Which database?', { 'half.txt': 'half\n' });
    expect(run()).toMatchObject({ status: 'awaiting_issue_followup', blockedKind: 'agent_blocked' });
    const sha = (await stage.github.fetchBranchHead(NAME, 'agent/bugfix/1-login-broken')) ?? '';
    expect(stage.state.readFollowup(stage.repo.id, number)).toMatchObject({
      flow: 'bugfix',
      branch: 'agent/bugfix/1-login-broken',
      waitingReason: 'Which database?',
      context: { waitKind: 'agent_blocked', checkpoint: { branch: 'agent/bugfix/1-login-broken', sha } },
    });
    const [words, ...more] = await ourWords(number);
    expect(more).toEqual([]);
    expect(words).toContain('Which database?');
    expect(words).toContain(`on \`agent/bugfix/1-login-broken\` at commit ${sha}`);
    expect(words).toContain(`/alice/app/compare/main...${sha}`);
    expect(words).toContain('Reply on this issue');
  });

  it('resumes a run once for several comments, in order, with the reason for the block and the checkpoint', async () => {
    const number = await block('Which database?', { 'half.txt': 'half\n' });
    stage.advance(5_000);
    const first = await say(number, 'Postgres.');
    await say(number, 'me too', 'mallory');
    await stage.poll();
    expect(openTurns()).toEqual([]);
    const second = await say(number, 'Version 16.');
    await settle();
    const [turn, ...more] = openTurns();
    expect(more).toEqual([]);
    const { followup, session } = contextOf(turn?.turnKey);
    expect(followup).toMatchObject({ waitKind: 'agent_blocked', reason: 'Which database?' });
    expect(followup?.comments.map(({ id, body, author }) => [id, body, author])).toEqual([
      [first, 'Postgres.', 'alice'],
      [second, 'Version 16.', 'alice'],
    ]);
    expect(followup?.checkpoint?.branch).toBe('agent/bugfix/1-login-broken');
    expect(session).toEqual({ adapter: 'command', threadId: 't' });
    expect(run()?.runStartCommentId).toBe(second);
    await settle();
    expect(openTurns()).toHaveLength(1);
    await stage.work(fix);
    await stage.drain();
    expect(run()).toMatchObject({ status: 'awaiting_feedback' });
    expect(stage.state.readFollowup(stage.repo.id, number)).toBeUndefined();
    expect(stage.state.readCommentCursors(stage.repo.id, number).prePrLastConsumedCommentId).toBe(second);
    expect(eventTypes()).toEqual([
      'pre_pr_followup_waiting',
      'pre_pr_followup_comments_detected',
      'pre_pr_followup_enqueued',
      'pre_pr_followup_resumed',
      'pre_pr_followup_consumed',
    ]);
    const range = { comment_count: 2, first_comment_id: first, last_comment_id: second };
    const resumed = stage.state
      .listEventsAfter(0, 1_000)
      .filter(({ type }) => type.startsWith('pre_pr_') && type !== 'pre_pr_followup_waiting');
    expect(resumed.map(({ payload }) => payload)).toEqual(
      resumed.map(() => expect.objectContaining({ repo_full_name: NAME, reason: 'agent_blocked', ...range })),
    );
  });

  it('gives comments made during a turn to the agent in the next turn', async () => {
    const number = await block();
    stage.advance(5_000);
    await say(number, 'Postgres.');
    await settle();
    stage.advance(2_000);
    const late = await say(number, 'No, SQLite.');
    await stage.poll();
    await stage.work(blocked('Which version?'));
    await stage.drain();
    await settle();
    expect(contextOf(openTurns()[0]?.turnKey).followup).toMatchObject({
      reason: 'Which version?',
      comments: [{ id: late, body: 'No, SQLite.' }],
    });
  });

  it('opens no pull request before the agent has acted on all earlier comments', async () => {
    const number = await openIssue();
    await stage.poll();
    const { turnKey } = await stage.work(fix);
    stage.advance(2_000);
    const late = await say(number, 'Please also the logout.');
    await stage.drain();
    expect(await pulls()).toEqual([]);
    expect(stage.state.readTurn(turnKey)?.state).toBe('deferred');
    expect(run()).toMatchObject({
      status: 'awaiting_issue_followup',
      blockedKind: 'new_issue_comments_pending',
    });
    expect(await ourWords(number)).toEqual([]);
    await settle();
    const { followup } = contextOf(openTurns()[0]?.turnKey);
    expect(followup?.comments.map(({ id }) => id)).toEqual([late]);
    expect(followup?.checkpoint).not.toBeNull();
    await stage.work(fix, undefined, { 'logout.txt': 'too\n' });
    await stage.drain();
    expect(await pulls()).toHaveLength(1);
    expect(await ourWords(number)).toHaveLength(1);
  });

  describe.each(['status', 'bugfix', 'update'])('after a comment with text and /mergexo %s', (command) => {
    it('defers the pull request until the agent has read the text, and replies to the command once', async () => {
      const number = await openIssue();
      await stage.poll();
      const { turnKey } = await stage.work(fix);
      stage.advance(2_000);
      const late = await say(number, `Please also the logout.\n\n/mergexo ${command}`);
      await stage.drain();
      expect(await pulls()).toEqual([]);
      expect(stage.state.readTurn(turnKey)?.state).toBe('deferred');
      for (let i = 0; i < 2; i += 1) {
        await settle();
        await stage.drain();
      }
      expect(contextOf(openTurns()[0]?.turnKey).followup?.comments).toMatchObject([
        { id: late, body: 'Please also the logout.' },
      ]);
      expect(await ourWords(number)).toHaveLength(1);
      await stage.work(fix, undefined, { 'logout.txt': 'too\n' });
      await stage.drain();
      expect(await pulls()).toHaveLength(1);
      for (let i = 0; i < 2; i += 1) await settle();
      expect(openTurns()).toEqual([]);
      expect(await ourWords(number)).toHaveLength(2);
    });
  });

  it('does not defer the pull request for commands without text', async () => {
    const number = await openIssue();
    await stage.poll();
    await stage.work(fix);
    stage.advance(2_000);
    for (const command of ['status', 'bugfix', 'update']) await say(number, `/mergexo ${command}`);
    await stage.drain();
    expect(await pulls()).toHaveLength(1);
  });

  it('resumes a run for the text around a command, even if the command itself starts nothing', async () => {
    const number = await block();
    stage.advance(5_000);
    await say(number, 'Postgres.\n\n/mergexo bugfix');
    await settle();
    await stage.drain();
    await settle();
    expect(contextOf(openTurns()[0]?.turnKey).followup?.comments).toMatchObject([{ body: 'Postgres.' }]);
    expect((await ourWords(number)).slice(1)).toEqual([expect.stringContaining('Not started')]);
  });

  it('opens a deferred pull request if the comments that deferred it were deleted', async () => {
    const number = await openIssue();
    await stage.poll();
    await stage.work(fix);
    stage.advance(2_000);
    const late = await say(number, 'Wait!');
    await stage.drain();
    await stage.alice.deleteComment(NAME, late);
    await settle();
    expect(contextOf(openTurns()[0]?.turnKey).followup?.comments).toEqual([]);
    await stage.work(fix, undefined, { 'more.txt': 'x\n' });
    await stage.drain();
    expect(await pulls()).toHaveLength(1);
  });

  it('redirects each later comment once, even after a restart or an edit, but no comment by a stranger', async () => {
    const number = await openPull();
    const [pull] = await pulls();
    stage.advance(5_000);
    const first = await say(number, 'One more thing.');
    await say(number, 'Spam', 'mallory');
    const second = await say(number, 'And another.');
    for (let i = 0; i < 3; i += 1) {
      await stage.poll();
      stage.restart();
      await stage.drain();
      stage.advance(2_000);
    }
    await stage.alice.editComment(NAME, first, 'One more thing!');
    for (let i = 0; i < 2; i += 1) {
      await stage.poll();
      await stage.drain();
      stage.advance(2_000);
    }
    const [, ...redirects] = await ourWords(number);
    expect(redirects).toHaveLength(2);
    for (const words of redirects) {
      expect(words).toContain(`Pull request #${pull?.number} is open`);
      expect(words).toContain(pull?.url);
      const place = { repoId: stage.repo.id, thread: String(number) };
      expect(verifyBody(words, place, keys)).toMatchObject({ meta: { kind: 'redirect' }, intact: true });
    }
    expect(stage.state.readCommentCursors(stage.repo.id, number).postPrLastRedirectedCommentId).toBe(second);
    expect(openTurns()).toEqual([]);
    expect(eventTypes().filter((type) => type === 'source_issue_comment_redirected')).toHaveLength(2);
  });

  it('moves the cursor past a comment only once its redirect is on GitHub', async () => {
    const number = await openPull();
    stage.advance(5_000);
    const comment = await say(number, 'One more thing.');
    const cursor = () => stage.state.readCommentCursors(stage.repo.id, number).postPrLastRedirectedCommentId;
    const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
    stage.twin.control.fault({ kind: 'error', status: 502, when: 'before', route });
    const waiting = () => stage.state.listUnclaimedEvents(stage.repo.id, number).length;
    await stage.poll();
    expect([cursor(), waiting()]).toEqual([0, 1]);
    await stage.drain();
    expect([cursor(), waiting()]).toEqual([0, 1]);
    stage.advance(WINDOW_MS + 1_000);
    await stage.drain();
    expect([cursor(), waiting()]).toEqual([comment, 0]);
    expect(await ourWords(number)).toHaveLength(2);
  });

  it('redirects comments on the issue while its pull request is blocked', async () => {
    const number = await openPull();
    await stage.poll();
    stage.advance(WINDOW_MS + 5_000);
    await stage.alice.forcePush(NAME, 'agent/bugfix/1-login-broken', { 'other.txt': 'x' });
    await say(2, 'Hello?');
    for (let i = 0; i < 2; i += 1) await settle();
    expect(stage.state.readPull(stage.repo.id, 2)?.status).toBe('blocked');
    await say(number, 'Is anybody there?');
    await settle();
    await stage.drain();
    expect((await ourWords(number)).slice(1)).toEqual([
      expect.stringContaining('no longer acts on comments here, including'),
    ]);
  });

  it('redirects a comment that arrives while the pull request is being opened', async () => {
    const number = await openIssue();
    await stage.poll();
    await stage.work(fix);
    // The request is held after the gate has passed, so the comment arrives before the pull request exists.
    const held = stage.twin.control.fault({ kind: 'hold', route: 'POST /repos/{owner}/{repo}/pulls' });
    const drained = stage.drain();
    await eventually(() => expect(held.waiting()).toBe(1));
    stage.advance(1_000);
    await say(number, 'In between.');
    held.release();
    await drained;
    await stage.poll();
    await stage.drain();
    expect(await pulls()).toHaveLength(1);
    const words = await ourWords(number);
    expect(words.filter((text) => text.includes('no longer acts on comments here, including'))).toHaveLength(
      1,
    );
  });

  const route = (enableIssueCommentRouting: boolean) => {
    stage.repo.config = { ...stage.repo.config, enableIssueCommentRouting };
  };

  it('keeps comments while comment routing is off, and resumes with these comments once routing is on', async () => {
    route(false);
    const number = await block();
    stage.advance(5_000);
    const first = await say(number, 'Postgres.');
    await settle();
    stage.advance(60_000);
    const second = await say(number, 'Version 16.');
    await settle();
    expect(openTurns()).toEqual([]);
    expect(await ourWords(number)).toHaveLength(1);
    route(true);
    await settle();
    expect(contextOf(openTurns()[0]?.turnKey).followup?.comments.map(({ id }) => id)).toEqual([
      first,
      second,
    ]);
  });

  it('redirects a comment made while comment routing was off once routing is on', async () => {
    const number = await openPull();
    route(false);
    stage.advance(5_000);
    await say(number, 'One more thing.');
    await settle();
    await stage.drain();
    expect(await ourWords(number)).toHaveLength(1);
    route(true);
    for (let i = 0; i < 2; i += 1) {
      await stage.poll();
      await stage.drain();
    }
    expect((await ourWords(number)).slice(1)).toEqual([
      expect.stringContaining('no longer acts on comments here, including'),
    ]);
  });

  it('pauses a waiting run that a person took over, and ignores comments made during the takeover', async () => {
    const number = await block();
    stage.advance(5_000);
    await stage.alice.label(NAME, number, 'agent:ignore');
    await stage.poll();
    stage.advance(5_000);
    await say(number, 'I do it myself.');
    await settle();
    expect(openTurns()).toEqual([]);
    await stage.alice.unlabel(NAME, number, 'agent:ignore');
    await settle();
    expect(openTurns()).toEqual([]);
    const fresh = await say(number, 'Now you.');
    await settle();
    expect(contextOf(openTurns()[0]?.turnKey).followup?.comments.map(({ id }) => id)).toEqual([fresh]);
  });

  it('stops a resumed run that a person took over, and keeps its checkpoint', async () => {
    const number = await block('Which database?', { 'half.txt': 'half\n' });
    stage.advance(5_000);
    await say(number, 'Postgres.');
    await settle();
    stage.advance(2_000);
    await stage.alice.label(NAME, number, 'agent:ignore');
    await stage.poll();
    expect(run()).toMatchObject({ status: 'awaiting_issue_followup' });
    stage.advance(2_000);
    await stage.alice.unlabel(NAME, number, 'agent:ignore');
    await settle();
    const { followup } = contextOf(openTurns()[0]?.turnKey);
    expect(followup?.comments.map(({ body }) => body)).toEqual(['Postgres.']);
    expect(followup?.checkpoint).not.toBeNull();
  });

  it('ends the run when the issue is closed, reports the end once, and starts again after a reopening', async () => {
    const number = await block();
    stage.advance(5_000);
    await stage.alice.close(NAME, number);
    for (let i = 0; i < 3; i += 1) {
      await stage.poll();
      await stage.drain();
      stage.advance(2_000);
    }
    expect(run()).toMatchObject({ status: 'closed' });
    expect((await ourWords(number)).filter((words) => words.includes('This issue was closed'))).toHaveLength(
      1,
    );
    await stage.alice.reopen(NAME, number);
    await settle();
    expect(run()).toMatchObject({ status: 'running', ordinal: 2 });
  });

  it('reports once that a closed pull request ends the run, and starts again when the label is added', async () => {
    const number = await openPull();
    const [pull] = await pulls();
    stage.advance(5_000);
    await stage.alice.close(NAME, pull?.number ?? 0);
    for (let i = 0; i < 3; i += 1) {
      await stage.poll();
      await stage.drain();
      stage.advance(2_000);
    }
    expect(await ourWords(pull?.number ?? 0)).toHaveLength(1);
    await say(number, 'Why?');
    await settle();
    expect(openTurns()).toEqual([]);
    await stage.alice.unlabel(NAME, number, 'agent:bugfix');
    await settle();
    await stage.alice.label(NAME, number, 'agent:bugfix');
    await settle();
    expect(run()).toMatchObject({ status: 'running', ordinal: 2 });
  });

  it('obeys and answers commands on the issue once', async () => {
    const number = await block();
    stage.advance(5_000);
    await say(number, '/mergexo status');
    await say(number, '/mergexo dance\n/mergexo retry');
    await stage.poll();
    await stage.drain();
    expect((await ourWords(number)).slice(1)).toEqual([
      expect.stringContaining('- status: waiting for a reply on the issue'),
      expect.stringMatching(/There is no command `dance`.*it ignored `\/mergexo retry`/s),
    ]);
    expect(openTurns()).toEqual([]);
    const given = stage.state.listEventsAfter(0, 1_000).filter(({ type }) => type === 'command_obeyed');
    expect(given.map(({ payload }) => payload)).toMatchObject([
      { command: 'status', obeyed: true },
      { command: 'unknown', obeyed: false },
    ]);
    stage.advance(5_000);
    await say(number, '/mergexo retry');
    for (let i = 0; i < 3; i += 1) await stage.poll();
    expect(openTurns()).toHaveLength(1);
    expect(contextOf(openTurns()[0]?.turnKey).followup).toMatchObject({
      reason: 'Which database?',
      comments: [],
    });
    const [turn] = openTurns();
    if (turn === undefined) throw new Error('no turn');
    const later = { heartbeatAt: turn.openedAt, notBefore: turn.openedAt + 300_000, epoch: 1 };
    stage.state.saveTurn({ ...turn, state: 'queued', ...later });
    stage.advance(5_000);
    await say(number, '/mergexo retry');
    await stage.poll();
    await stage.drain();
    expect(stage.state.readTurn(turn.turnKey)).toMatchObject({ epoch: 2, notBefore: null });
    expect((await ourWords(number)).at(-1)).toContain('will retry as soon as');
    stage.advance(5_000);
    await say(number, '/mergexo design');
    await stage.poll();
    await stage.drain();
    expect(await ourWords(number)).toContainEqual(
      expect.stringContaining('Not started: this issue already has a run (Bug fix: in progress).'),
    );
  });

  it('keeps the reset time of a provider limit when somebody asks for a retry, and replies with that time', async () => {
    const number = await openIssue();
    await stage.poll();
    const [turn] = openTurns();
    if (turn === undefined) throw new Error('no turn');
    const asked = { turnKey: turn.turnKey, epoch: 1, workerId: 'w1', requestId: 'w1@r1' };
    stage.state.saveTurn({ ...turn, state: 'queued', epoch: 1 });
    expect(await stage.tell({ kind: 'begin', ...asked })).toMatchObject({ kind: 'begun' });
    const resetsInMs = 3 * 3_600_000;
    await stage.tell({
      kind: 'fail',
      turnKey: turn.turnKey,
      attempt: 1,
      cause: 'infrastructure',
      reason: 'usage-limit: You have reached your limit.',
      retryAfterMs: resetsInMs,
      limitedAdapter: 'codex',
      usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
    });
    const { notBefore = null } = stage.state.readTurn(turn.turnKey) ?? {};
    stage.advance(5_000);
    await say(number, '/mergexo retry');
    await stage.poll();
    await stage.drain();
    expect(stage.state.readTurn(turn.turnKey)).toMatchObject({
      notBefore,
      reason: 'usage-limit: You have reached your limit.',
    });
    const resetTime = new Date(notBefore ?? 0).toISOString().slice(11, 16);
    const reply = (await ourWords(number)).at(-1);
    expect(reply).toContain(`codex has reached its usage limit. MergeXO retries at ${resetTime} UTC`);
    stage.advance(resetsInMs);
    await say(number, '/mergexo retry');
    await stage.poll();
    await stage.drain();
    expect((await ourWords(number)).at(-1)).toContain('There is nothing to retry');
  });

  it('continues a run after a database loss, before and after the pull request', async () => {
    const waiting = await block('Which database?', { 'half.txt': 'half\n' });
    const done = await openPull('Done');
    stage.advance(5_000);
    await say(done, 'Redirected before.');
    await stage.poll();
    await stage.drain();
    stage.advance(2_000);
    const answer = await say(waiting, 'Postgres.');
    await say(done, 'Not yet redirected.');
    const before = await ourWords(done);
    // The branch name contains the original title of the issue.
    await stage.alice.request('PATCH', `/repos/${NAME}/issues/${waiting}`, { title: 'Another title' });
    stage.loseState();
    await stage.poll();
    stage.advance(WINDOW_MS + 5_000);
    for (let i = 0; i < 2; i += 1) {
      await stage.poll();
      await stage.drain();
      stage.advance(DEBOUNCE_MS);
    }
    expect(await ourWords(done)).toHaveLength(before.length + 1);
    const turn = openTurns().find(({ issueNumber }) => issueNumber === waiting);
    const { followup, branch } = contextOf(turn?.turnKey);
    expect(followup?.comments.map(({ id }) => id)).toEqual([answer]);
    expect(branch).toBe('agent/bugfix/1-login-broken');
    expect(followup?.checkpoint).toMatchObject({ branch });
  });

  it('restores a waiting run with its own branch, not the branch of an earlier run of the issue', async () => {
    const number = await block('Which database?', { 'half.txt': 'half\n' });
    stage.advance(5_000);
    await stage.alice.close(NAME, number);
    await settle();
    await stage.alice.unlabel(NAME, number, 'agent:bugfix');
    stage.advance(5_000);
    await stage.alice.reopen(NAME, number);
    await stage.alice.label(NAME, number, 'agent:small-job');
    await settle();
    expect(openTurns().map(({ kind }) => kind)).toEqual(['small_job_start']);
    await stage.work(blocked('Which colour?'));
    await stage.drain();
    await stage.drain();
    expect((await ourWords(number)).at(-1)).toContain('Which colour?');
    stage.loseState();
    await stage.poll();
    stage.advance(WINDOW_MS + 5_000);
    await settle();
    const branches = stage.state
      .listRunsOfIssue(stage.repo.id, number)
      .map(({ flow, branch }) => [flow, branch]);
    expect(branches).toEqual([['small_job', 'agent/small/1-login-broken']]);
  });

  describe('in edge cases', () => {
    const waitAgain = async (number: number, reason: string) => {
      await settle();
      await stage.work(blocked(reason));
      await stage.drain();
      stage.advance(2_000);
      return number;
    };

    it('resumes a run when somebody edits an already used comment, and when somebody asks for a retry', async () => {
      const number = await block();
      stage.advance(5_000);
      const comment = await say(number, 'Postgres.');
      await waitAgain(number, 'Which version?');
      await stage.alice.editComment(NAME, comment, 'Postgres 16.');
      stage.advance(2_000);
      await settle();
      expect(contextOf(openTurns()[0]?.turnKey).followup?.comments.map(({ body }) => body)).toEqual([
        'Postgres 16.',
      ]);
      await stage.work(blocked('And where?'));
      await stage.drain();
      stage.advance(2_000);
      await say(number, '/mergexo retry');
      await settle();
      expect(openTurns()).toHaveLength(1);
    });

    it('ends a start correctly if agent:ignore is added between its pull request and the status comment', async () => {
      const number = await openIssue();
      await stage.poll();
      await stage.work(fix);
      const down = stage.twin.control.fault({
        kind: 'error',
        status: 502,
        route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
        times: null,
      });
      await stage.drain();
      expect(await pulls()).toHaveLength(1);
      await stage.alice.label(NAME, number, 'agent:ignore');
      stage.advance(2_000);
      await stage.pollFeeds();
      down.clear();
      stage.advance(WINDOW_MS + 1_000);
      for (let i = 0; i < 2; i += 1) await stage.drain();
      expect(run()).toMatchObject({ status: 'awaiting_feedback' });
      expect(stage.state.readSession(run()?.id ?? 0)).toMatchObject({ threadId: 't' });
      expect(stage.state.readFollowup(stage.repo.id, number)).toBeUndefined();
    });

    it('opens the pull request despite waiting comments once comment routing is off', async () => {
      const number = await openIssue();
      await stage.poll();
      await stage.work(fix);
      stage.advance(2_000);
      await say(number, 'One more.');
      await stage.pollFeeds();
      stage.repo.config = { ...stage.repo.config, enableIssueCommentRouting: false };
      await stage.drain();
      expect(await pulls()).toHaveLength(1);
    });

    it('closes no run while the repository is temporarily unreadable', async () => {
      const number = await openIssue();
      await stage.pollFeeds();
      const gone = stage.twin.control.fault({
        kind: 'error',
        status: 404,
        route: 'GET /repos/{owner}/{repo}/issues/{issue_number}',
        times: null,
      });
      const hidden = stage.twin.control.fault({
        kind: 'error',
        status: 404,
        route: 'GET /repos/{owner}/{repo}',
        times: null,
      });
      await stage.poll().catch(() => {});
      expect(run(number)?.status).toBe('ready');
      gone.clear();
      hidden.clear();
      stage.advance(2_000);
      await stage.poll();
      expect(run(number)?.status).toBe('running');
    });

    it('continues from commits that people pushed onto the checkpoint, even if the turn was already queued', async () => {
      const number = await block('Which database?', { 'half.txt': 'half\n' });
      stage.advance(5_000);
      await say(number, 'Postgres.');
      await settle();
      const pushed = await stage.alice.pushFiles(NAME, 'agent/bugfix/1-login-broken', { 'mine.txt': 'x\n' });
      stage.advance(2_000);
      const [turn] = openTurns();
      const begun = turn && (await stage.begin(turn));
      expect(begun).toMatchObject({ kind: 'begun', context: { followup: { checkpoint: { sha: pushed } } } });
    });

    it('resumes on a new branch when somebody rewrote the checkpoint’s branch, and keeps the reason', async () => {
      const number = await block('Which database?', { 'half.txt': 'half\n' });
      stage.advance(WINDOW_MS + 5_000);
      await stage.alice.forcePush(NAME, 'agent/bugfix/1-login-broken', { 'other.txt': 'y\n' });
      await say(number, 'Postgres.');
      await settle();
      await settle();
      const context = contextOf(openTurns()[0]?.turnKey);
      expect(context.branch).toBe('agent/bugfix/1-login-broken-2');
      expect(context.followup).toMatchObject({ reason: 'Which database?', checkpoint: null });
    });

    it('does not redirect a comment that was deleted before the redirect', async () => {
      const number = await openIssue();
      await stage.poll();
      await stage.work(fix);
      await stage.drain();
      stage.advance(5_000);
      const comment = await say(number, 'Never mind.');
      await stage.poll();
      await stage.alice.deleteComment(NAME, comment);
      for (let i = 0; i < 2; i += 1) {
        await stage.drain();
        stage.advance(WINDOW_MS);
      }
      expect(await ourWords(number)).toHaveLength(1);
    });

    it('gives the agent the text around a command, and ignores old commands', async () => {
      const number = await stage.alice.openIssue(NAME, { title: 'Login broken', body: 'It fails.' });
      await say(number, '/mergexo small-job\n\nold');
      stage.advance(60_000);
      await stage.alice.openIssue(NAME, { title: 'Something else' });
      await stage.poll();
      stage.advance(60_000);
      await stage.alice.comment(NAME, number, 'Only for Postgres, please.\n\n/mergexo bugfix');
      for (let i = 0; i < 3; i += 1) {
        await stage.poll();
        await stage.drain();
      }
      const { comments, flow } = contextOf(openTurns()[0]?.turnKey);
      expect(flow).toBe('bugfix');
      expect(comments.map(({ body }) => body)).toEqual(['old', 'Only for Postgres, please.']);
      expect(await ourWords(number)).toEqual([]);
      await stage.work(fix);
      await stage.drain();
      expect(await ourWords(number)).toEqual([expect.stringContaining('proposes a fix')]);
    });

    it('does not obey a command from before the run when the feed repeats it', async () => {
      const number = await stage.alice.openIssue(NAME, { title: 'Later', body: 'x' });
      await stage.alice.comment(NAME, number, '/mergexo retry');
      await settle();
      stage.advance(60_000);
      await stage.alice.request('POST', `/repos/${NAME}/issues/${number}/labels`, {
        labels: ['agent:bugfix'],
      });
      await settle();
      await stage.work({ kind: 'wait', waitKind: 'agent_blocked', reason: 'Why?' });
      await stage.drain();
      stage.advance(60_000);
      const other = await stage.alice.openIssue(NAME, { title: 'Other', body: 'x' });
      await stage.alice.comment(NAME, other, 'Hello.');
      for (let i = 0; i < 2; i += 1) {
        await settle();
        await stage.drain();
      }
      expect(stage.state.listRunsOfIssue(stage.repo.id, number)).toMatchObject([
        { status: 'awaiting_issue_followup' },
      ]);
      expect(openTurns()).toEqual([]);
    });

    it('reports once that a blocked start does not act on comments', async () => {
      const number = await openIssue();
      await stage.poll();
      const { branch } = await stage.work(fix);
      await stage.alice.openPull(NAME, { title: 'Mine', head: branch, base: 'main' });
      await stage.drain();
      expect(run()).toMatchObject({ status: 'blocked' });
      stage.advance(2_000);
      await say(number, 'Hello?');
      await say(number, 'Anybody?');
      for (let i = 0; i < 2; i += 1) {
        await settle();
        await stage.drain();
      }
      expect((await ourWords(number)).slice(1)).toEqual([expect.stringContaining('is blocked')]);
    });

    it('remembers an obeyed retry and the checkpoint after a database loss', async () => {
      const number = await block('Which database?', { 'half.txt': 'half\n' });
      stage.advance(5_000);
      await say(number, 'Postgres.');
      await waitAgain(number, 'Which version?');
      stage.loseState();
      await stage.poll();
      stage.advance(WINDOW_MS + 5_000);
      await say(number, 'Sixteen.');
      await settle();
      const { followup } = contextOf(openTurns()[0]?.turnKey);
      expect(followup?.checkpoint).not.toBeNull();
      expect(followup?.comments.map(({ body }) => body)).toEqual(['Sixteen.']);
    });
  });
});
