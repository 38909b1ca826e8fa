import { type PlanResult, StartContext } from '@mergexo/core/turns';
import { eventually } from '@mergexo/testkit';
import { createStage, DEBOUNCE_MS, NAME, type Stage, WINDOW_MS } from '../stage/stage.js';

const fix: PlanResult = { kind: 'pull', title: 'Fix the login', summary: 'It works again.', design: null };
const blocked: PlanResult = { kind: 'wait', waitKind: 'agent_blocked', reason: 'Which database?' };
const POST_COMMENT = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
const IGNORE = 'agent:ignore';
const LABEL = 'agent:bugfix';

describe('comments on an issue during races and failures: the poller', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await createStage();
  });
  afterEach(() => stage.close());

  const openTurns = () => stage.state.listTurnsInState('open');
  const runs = () => stage.state.listRunsOfIssue(stage.repo.id, 1);
  const ourWords = async () =>
    (await stage.github.fetchThread(NAME, 1)).comments
      .filter(({ author }) => author.login === 'robot')
      .map(({ body }) => body);
  const settle = async () => {
    stage.advance(2_000);
    await stage.poll();
    stage.advance(DEBOUNCE_MS + 2_000);
    await stage.poll();
  };
  /** Creates issue 1 and plays its first start turn with the given result. */
  const start = async (result: PlanResult) => {
    await stage.alice.openIssue(NAME, { title: 'Login broken', labels: [LABEL] });
    await stage.poll();
    await stage.work(result);
  };
  const ask = async () => {
    await start(blocked);
    await stage.drain();
  };

  it('keeps a pull request as merged if it is merged before its status comment is settled', async () => {
    await start(fix);
    stage.twin.control.fault({ kind: 'error', when: 'after', status: 502, route: POST_COMMENT });
    await stage.drain();
    await stage.alice.merge(NAME, 2);
    stage.advance(2_000);
    await stage.pollFeeds();
    expect(runs()).toMatchObject([{ status: 'merged' }]);
    stage.advance(WINDOW_MS + 1_000);
    for (let i = 0; i < 2; i += 1) await stage.drain();
    expect(stage.state.listUnsettledActions()).toEqual([]);
    expect(runs()).toMatchObject([{ status: 'merged' }]);
    expect(stage.state.readSession(runs()[0]?.id ?? 0)).toBeUndefined();
  });

  it('does not restart an issue that is reopened without its label', async () => {
    await ask();
    await stage.alice.close(NAME, 1);
    await settle();
    await stage.alice.unlabel(NAME, 1, LABEL);
    await settle();
    await stage.alice.reopen(NAME, 1);
    await settle();
    expect(runs()).toMatchObject([{ status: 'closed' }]);
  });

  it('still reads comments on a later run when the pull request of an earlier run is closed', async () => {
    await start(fix);
    await stage.drain();
    await stage.alice.close(NAME, 2);
    await settle();
    await stage.alice.unlabel(NAME, 1, LABEL);
    await settle();
    await stage.alice.label(NAME, 1, LABEL);
    await settle();
    await stage.work(blocked);
    await stage.drain();
    await stage.alice.reopen(NAME, 2);
    await settle();
    await stage.alice.close(NAME, 2);
    await settle();
    await stage.alice.comment(NAME, 1, 'Postgres.');
    await settle();
    expect(openTurns()).toMatchObject([{ runId: runs()[0]?.id }]);
  });

  it('acts on a comment made right after a takeover ended', async () => {
    await ask();
    await stage.alice.label(NAME, 1, IGNORE);
    await settle();
    stage.advance(2_000);
    await stage.alice.comment(NAME, 1, 'I look at it myself.');
    await settle();
    const held = stage.twin.control.fault({
      kind: 'hold',
      route: 'GET /repos/{owner}/{repo}/issues/comments',
    });
    const polled = stage.poll();
    await eventually(() => expect(held.waiting()).toBe(1));
    stage.twin.control.advance(2_000);
    await stage.alice.unlabel(NAME, 1, IGNORE);
    stage.twin.control.advance(2_000);
    await stage.alice.comment(NAME, 1, 'Postgres, go on.');
    held.release();
    await polled;
    await settle();
    const [turn] = openTurns();
    expect(JSON.stringify(stage.state.readTurnContext(turn?.turnKey ?? ''))).toContain('Postgres, go on.');
    expect(JSON.stringify(stage.state.readTurnContext(turn?.turnKey ?? ''))).not.toContain('myself');
  });

  it('does not act on a comment that was deleted before the agent began', async () => {
    await ask();
    stage.advance(2_000);
    const gone = await stage.alice.comment(NAME, 1, 'Use the production dump.');
    await stage.alice.comment(NAME, 1, 'Postgres.');
    await settle();
    await stage.alice.deleteComment(NAME, gone);
    await stage.work(blocked);
    const [turn] = stage.state.listTurnsOfRun(runs()[0]?.id ?? 0).slice(-1);
    const context = JSON.stringify(stage.state.readTurnContext(turn?.turnKey ?? ''));
    expect(context).toContain('Postgres.');
    expect(context).not.toContain('production dump');
  });

  it('keeps waiting for a reply when all replies are deleted', async () => {
    await ask();
    stage.advance(2_000);
    const gone = await stage.alice.comment(NAME, 1, 'Use the production dump.');
    await settle();
    await stage.alice.deleteComment(NAME, gone);
    await expect(stage.work(blocked)).rejects.toThrow('deleted');
    expect(runs()).toMatchObject([{ status: 'awaiting_issue_followup', error: 'Which database?' }]);
    await settle();
    expect(openTurns()).toEqual([]);
    await stage.alice.comment(NAME, 1, 'Postgres.');
    await settle();
    expect(openTurns()).toHaveLength(1);
  });

  it('does not report that an issue was closed if the issue is open again', async () => {
    await ask();
    const down = stage.twin.control.fault({ kind: 'error', status: 502, route: POST_COMMENT, times: null });
    await stage.alice.close(NAME, 1);
    await settle();
    await stage.drain();
    await stage.alice.reopen(NAME, 1);
    await settle();
    down.clear();
    stage.advance(WINDOW_MS + 1_000);
    for (let i = 0; i < 3; i += 1) await stage.drain();
    expect(await ourWords()).toEqual([expect.stringContaining('Which database?')]);
  });

  describe('after a start failed before its pull request', () => {
    const failAsOften = async (failure: 'agent' | 'unusable', times: number) => {
      const [turn] = openTurns();
      for (let attempt = 1; attempt <= times; attempt += 1) {
        const now = turn && stage.state.readTurn(turn.turnKey);
        if (now === undefined) throw new Error('no turn');
        expect(await stage.begin(now)).toMatchObject({ kind: 'begun', attempt });
        const usage = { inputTokens: 1, outputTokens: 1, costUsd: 0 };
        const about = { turnKey: now.turnKey, attempt, reason: 'scripted', retryAfterMs: null, usage };
        await stage.tell({ kind: 'fail', ...about, cause: failure });
        stage.advance(300_000);
      }
    };
    const endPush = (outcome: 'refused' | 'superseded') =>
      stage.perform(['bugfix_start'], async () => {
        const branch = runs()[0]?.branch ?? '';
        return { result: fix, commit: { branch, startSha: 'e'.repeat(40), sha: 'f'.repeat(40) }, outcome };
      });
    const supersede = async () => {
      for (let i = 0; i < 3; i += 1) {
        await endPush('superseded');
        if (i < 2) await stage.poll();
      }
    };
    const FAILURES: [string, string, () => Promise<unknown>][] = [
      ['an unusable answer', 'answer_unusable', () => failAsOften('unusable', 1)],
      ['repeated agent failures', 'agent_failed', () => failAsOften('agent', 3)],
      ['a refused push', 'push_refused', () => endPush('refused')],
      ['three superseded pushes', 'superseded', supersede],
    ];

    it.each(FAILURES)(
      'resumes the run after %s when somebody replies on the issue',
      async (_name, waitKind, fail) => {
        await stage.alice.openIssue(NAME, { title: 'Login broken', labels: [LABEL] });
        await stage.alice.comment(NAME, 1, 'On the login page.');
        await stage.poll();
        await fail();
        expect(runs()).toMatchObject([{ status: 'awaiting_issue_followup', blockedKind: waitKind }]);
        for (let i = 0; i < 2; i += 1) {
          await stage.drain();
          await settle();
        }
        expect(openTurns()).toEqual([]);
        expect(await ourWords()).toEqual([expect.stringContaining('Reply on this issue to resume')]);

        const reply = await stage.alice.comment(NAME, 1, 'The hook is off now.');
        await settle();
        const [turn, ...more] = openTurns();
        expect(more).toEqual([]);
        const context = StartContext.parse(stage.state.readTurnContext(turn?.turnKey ?? ''));
        expect(context.followup).toMatchObject({ waitKind, comments: [{ id: reply }] });
        expect(context.comments.map(({ body }) => body)).toEqual([
          'On the login page.',
          'The hook is off now.',
        ]);
        await stage.work(fix);
        await stage.drain();
        expect(runs()).toMatchObject([{ status: 'awaiting_feedback' }]);
      },
    );

    it('tries to push three times per reply, each time to another branch', async () => {
      await stage.alice.openIssue(NAME, { title: 'Login broken', labels: [LABEL] });
      await stage.poll();
      await supersede();
      await stage.drain();
      await stage.alice.comment(NAME, 1, 'Again, please.');
      await settle();
      await supersede();
      expect(runs()).toMatchObject([{ status: 'awaiting_issue_followup', ordinal: 7 }]);
    });

    it('still waits for a reply after a database loss, and ignores replies that a turn already used', async () => {
      await stage.alice.openIssue(NAME, { title: 'Login broken', labels: [LABEL] });
      await stage.alice.comment(NAME, 1, 'On the login page.');
      await stage.poll();
      await failAsOften('unusable', 1);
      await stage.drain();
      stage.loseState();
      await stage.poll();
      stage.advance(WINDOW_MS + 1_000);
      await settle();
      expect(runs()).toMatchObject([{ status: 'awaiting_issue_followup' }]);
      expect(openTurns()).toEqual([]);
      await stage.alice.comment(NAME, 1, 'Try again.');
      await settle();
      expect(openTurns()).toHaveLength(1);
    });
  });

  it.each<[string, (number: number) => Promise<unknown>]>([
    ['deleted', async (number) => stage.twin.control.deleteIssue(NAME, number)],
    ['closed long ago', (number) => stage.alice.close(NAME, number)],
  ])('does not count a waiting run against the limit if its issue was %s', async (_name, end) => {
    await ask();
    stage.limit({ maxOpenRuns: 1 });
    const other = await stage.alice.openIssue(NAME, { title: 'Other', labels: [LABEL] });
    await settle();
    expect(stage.state.listRunsOfIssue(stage.repo.id, other)).toMatchObject([{ status: 'ready' }]);
    await end(1);
    // Moves the cursor past the change, as if the poller had missed it.
    const { cursor } = stage.state.readFeed(stage.repo.id, 'issues') ?? { cursor: null };
    const later = { cursor: cursor?.replace('2025', '2026') ?? null, etag: null };
    stage.state.saveFeed({ repoId: stage.repo.id, name: 'issues', ...later }, 0);
    stage.advance(11 * 60_000);
    for (let i = 0; i < 2; i += 1) await settle();
    expect(runs()).toMatchObject([{ status: 'closed' }]);
    expect(stage.state.listRunsOfIssue(stage.repo.id, other)).toMatchObject([{ status: 'running' }]);
  });

  it.each([
    ['', false],
    [' after the poller restarted', true],
  ])('does not close a restarted run because of a lagging issue list%s', async (_when, restarts) => {
    await ask();
    stage.advance(10_000);
    await stage.alice.close(NAME, 1);
    await stage.poll();
    stage.advance(1_000);
    await stage.alice.reopen(NAME, 1);
    await stage.poll();
    expect(runs()).toMatchObject([{ status: 'running' }, { status: 'closed' }]);
    stage.advance(5_000);
    stage.twin.control.fault({
      kind: 'lag',
      seconds: 5.5,
      route: 'GET /repos/{owner}/{repo}/issues',
      times: 1,
    });
    if (restarts) stage.restart();
    await stage.alice.openIssue(NAME, { title: 'Something else' });
    await stage.poll();
    expect(runs()).toMatchObject([{ status: 'running' }, { status: 'closed' }]);
  });
});
