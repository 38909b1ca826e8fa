import { join } from 'node:path';
import { parseConfig } from '@mergexo/config';
import { silentLog } from '@mergexo/core/basics';
import { LedgerMessage } from '@mergexo/core/ledger';
import { createState, type Database, openDatabase, type Run, type State } from '@mergexo/state';
import { aRemark, aTurn, createTemporaryDirectory } from '@mergexo/testkit';
import type { AgentsOf } from '../lifecycle/agent-limits.js';
import { previewReset, type ResetRequest, resetBlocked } from './reset-blocked.js';

const OLD = 'a'.repeat(40);
const NEW = 'b'.repeat(40);
const [agentsOfRepo] = parseConfig('[repo.engine]\nowner = "ada"\nname = "engine"\n', { homeDir: '/' }).repos;

describe('resetBlocked', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let database: Database;
  let state: State;
  let clock: number;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    database = openDatabase(join(directory.path, 'state.db'));
    state = createState(database);
    clock = 1_000;
    for (const [id, name] of [
      [1, 'engine'],
      [2, 'loom'],
    ] as const)
      state.saveRepository({ id, owner: 'ada', name, defaultBranch: 'main' });
  });
  afterEach(() => {
    state.close();
    directory.remove();
  });

  const showHead = (prNumber: number, headSha: string): void => {
    const pull = state.readPull(1, prNumber);
    if (pull !== undefined) state.savePull({ ...pull, headSha }, clock);
  };
  const addPull = (repoId: number, prNumber: number, blocked = true): void => {
    const issueNumber = prNumber + 100;
    const flow = 'bugfix' as const;
    const run = state.recordRun(
      { repoId, issueNumber, flow, issueTitle: 't', branch: `b${prNumber}`, designDocPath: null, ordinal: 1 },
      clock,
    );
    if (run === undefined) throw new Error('no run');
    const branch = `b${prNumber}`;
    state.recordPull(
      { repoId, prNumber, runId: run.id, issueNumber, branch, headSha: OLD, url: null },
      clock,
    );
    state.saveRun({ ...run, prNumber, status: 'awaiting_feedback' }, clock);
    const remark = aRemark({ commentId: prNumber * 10, thread: prNumber });
    state.recordFeedbackEvent({ repoId, issueNumber, remark, skipReason: null }, clock);
    if (blocked) block(repoId, prNumber);
  };
  const block = (repoId: number, prNumber: number): void => {
    const pull = state.readPull(repoId, prNumber);
    const run = pull && state.readRun(pull.runId);
    if (pull === undefined || run === undefined) throw new Error('no such pull request');
    const blocked = { status: 'blocked', blockedKind: 'agent_blocked', error: 'cannot' } as const;
    state.savePull({ ...pull, ...blocked }, clock);
    state.saveRun({ ...run, ...blocked }, clock);
  };
  const request = (wish: Partial<ResetRequest>): ResetRequest => ({
    kind: 'reset',
    requestId: 'r1',
    by: 'cli',
    expiresAt: 30_000,
    pulls: null,
    repo: null,
    headSha: null,
    reason: null,
    ...wish,
  });
  const reset = (wish: Partial<ResetRequest>) =>
    resetBlocked({ state, now: () => clock, log: silentLog, agentsOf }, request(wish));
  const agentsOf: AgentsOf = () => agentsOfRepo;
  const dump = (): unknown =>
    ['pull_requests', 'issue_runs', 'feedback_events', 'runtime_events'].map((table) =>
      database.sqlite.prepare(`select * from ${table}`).all(),
    );
  const eventsOf = (prNumber: number) =>
    state.listEventsOfIssue(1, prNumber + 100).map(({ type, payload }) => ({ type, payload }));

  it('unblocks the pull request and its run, keeps comments and head, and records who requested the reset', () => {
    addPull(1, 7);
    expect(reset({ pulls: [{ repo: null, prNumber: 7 }], reason: 'fixed by hand' })).toEqual({
      kind: 'reset',
      pulls: [
        {
          repo: 'ada/engine',
          prNumber: 7,
          issueNumber: 107,
          blockedKind: 'agent_blocked',
          reason: 'cannot',
          limit: null,
          acceptedHeadSha: OLD,
          headSha: OLD,
          waitingComments: 1,
        },
      ],
    });
    const cleared = { status: 'awaiting_feedback', blockedKind: null, error: null };
    const pull = state.readPull(1, 7);
    expect(pull).toMatchObject({ ...cleared, acceptedHeadSha: OLD });
    expect(state.readRun(pull?.runId ?? 0)).toMatchObject(cleared);
    expect(state.listUnclaimedEvents(1, 7)).toHaveLength(1);
    expect(eventsOf(7)).toEqual([
      { type: 'pull_unblocked', payload: { by: 'cli', reason: 'fixed by hand', head_sha: null } },
      {
        type: 'command_obeyed',
        payload: expect.objectContaining({ by: 'cli', reason: 'fixed by hand', request_id: 'r1' }),
      },
    ]);
  });

  it('accepts another head only if the request names it, and only for a single pull request', () => {
    addPull(1, 7);
    addPull(1, 8);
    const before = dump();
    for (const pulls of [
      null,
      [
        { repo: null, prNumber: 7 },
        { repo: null, prNumber: 8 },
      ],
    ])
      expect(reset({ requestId: `many-${pulls?.length}`, pulls, headSha: NEW })).toMatchObject({
        kind: 'refused',
      });
    expect(dump()).toEqual(before);
    const one = [{ repo: null, prNumber: 7 }];
    expect(reset({ requestId: 'early', pulls: one, headSha: NEW })).toEqual({
      kind: 'refused',
      reason: `ada/engine#7: ${NEW} is not the head commit of the branch: MergeXO last read ${OLD} from GitHub. If the branch has changed since, try again in a minute. Nothing was changed.`,
    });
    expect(dump()).toEqual(before);
    showHead(7, NEW);
    expect(reset({ pulls: one, headSha: NEW })).toMatchObject({ pulls: [{ acceptedHeadSha: NEW }] });
    expect([7, 8].map((number) => state.readPull(1, number)?.acceptedHeadSha)).toEqual([NEW, OLD]);
  });

  it.each<[string, Partial<ResetRequest>, RegExp]>([
    [
      'two pull requests of which one is unknown',
      { pulls: [named(7), named(99)] },
      /#99 is not a pull request that MergeXO works on/,
    ],
    [
      'the number of an issue for a pull request',
      { pulls: [named(107)] },
      /#107 is an issue, and its pull request is #7: use --pr 7/,
    ],
    [
      'the number of a pull request for an issue',
      { pulls: [{ repo: null, issueNumber: 7 }] },
      /#7 is the pull request of issue #107: use --pr 7/,
    ],
    [
      'two pull requests of which one is not blocked',
      { pulls: [named(7), named(8)] },
      /ada\/engine#8 is not blocked \(awaiting_feedback\)/,
    ],
    [
      'a number that exists in two repositories',
      { pulls: [named(9)] },
      /#9 is in ada\/engine and ada\/loom: choose one with --repo/,
    ],
    [
      'an unknown repository',
      { pulls: [named(7, 'eve/evil')] },
      /does not know eve\/evil \(known: ada\/engine, ada\/loom\)/,
    ],
    ['everything in an unknown repository', { repo: 'eve/evil' }, /does not know eve\/evil/],
    ['an expired request', { expiresAt: 999 }, /expired/],
  ])('refuses %s and changes nothing', (_name, wish, reason) => {
    addPull(1, 7);
    addPull(1, 8, false);
    addPull(1, 9);
    addPull(2, 9);
    const before = dump();
    expect(reset(wish)).toEqual({ kind: 'refused', reason: expect.stringMatching(reason) });
    expect(dump()).toEqual(before);
  });

  it('ignores case in repository names', () => {
    addPull(1, 9);
    addPull(2, 9);
    expect(reset({ pulls: [named(9, 'Ada/Loom')] })).toMatchObject({ pulls: [{ repo: 'ada/loom' }] });
    expect([1, 2].map((repoId) => state.readPull(repoId, 9)?.status)).toEqual([
      'blocked',
      'awaiting_feedback',
    ]);
  });

  const BLOCKED = { status: 'blocked', blockedKind: 'turn_failed', error: 'three crashes' } as const;
  const addBlockedIssue = (issueNumber: number, held: Partial<Run> = BLOCKED): number => {
    const flow = 'bugfix' as const;
    const run = state.recordRun(
      {
        repoId: 1,
        issueNumber,
        flow,
        issueTitle: 't',
        branch: `b${issueNumber}`,
        designDocPath: null,
        ordinal: 1,
      },
      clock,
    );
    if (run === undefined) throw new Error('no run');
    state.saveRun({ ...run, ...held }, clock);
    return run.id;
  };

  it('resumes an issue that was blocked before it had a pull request, and posts one notice there', () => {
    const runId = addBlockedIssue(42);
    const first = reset({ pulls: [{ repo: null, issueNumber: 42 }] });
    expect(first).toMatchObject({
      kind: 'reset',
      pulls: [{ prNumber: null, issueNumber: 42, blockedKind: 'turn_failed', reason: 'three crashes' }],
    });
    expect(state.readRun(runId)).toMatchObject({
      status: 'ready',
      blockedKind: null,
      error: null,
      clearedAt: clock,
    });
    expect(state.listActionsOfThread(1, 42, 10)).toMatchObject([{ kind: 'unblock_notice' }]);
    const after = dump();
    expect(reset({ pulls: [{ repo: null, issueNumber: 42 }] })).toEqual(first);
    expect(dump()).toEqual(after);
    expect(reset({ requestId: 'r2', pulls: [{ repo: null, issueNumber: 42 }] })).toEqual({
      kind: 'refused',
      reason: 'ada/engine#42 is not blocked (ready). Nothing was changed.',
    });
  });

  const RUN_LIMIT = { blockedKind: 'max_turns_per_run', error: '50 of 50 turns' } as const;
  const DAY_LIMIT = { blockedKind: 'max_cost_usd_per_day', error: '$5 of $5' } as const;
  const FOLLOWUP = 'awaiting_issue_followup';

  it.each<[string, Partial<Run>, 'all' | 'named']>([
    ['a run over one of its limits', { status: 'ready', ...RUN_LIMIT }, 'all'],
    ['a run with new replies over one of its limits', { status: FOLLOWUP, ...RUN_LIMIT }, 'all'],
    ['a run over a daily limit', { status: 'ready', ...DAY_LIMIT }, 'named'],
    [
      'a run that waits for a reply',
      { status: FOLLOWUP, blockedKind: 'agent_blocked', error: 'Which?' },
      'named',
    ],
  ])('resumes %s, and counts its usage from zero', (_name, held, when) => {
    const runId = addBlockedIssue(42, held);
    const found = [{ issueNumber: 42, blockedKind: held.blockedKind, reason: held.error }];
    expect(reset({ requestId: 'all' })).toMatchObject({ pulls: when === 'all' ? found : [] });
    if (when === 'named')
      expect(reset({ pulls: [{ repo: null, issueNumber: 42 }] })).toMatchObject({ pulls: found });
    const cleared = { status: 'ready', blockedKind: null, error: null, clearedAt: clock };
    expect(state.readRun(runId)).toMatchObject(cleared);
    expect(state.listActionsOfThread(1, 42, 10)).toMatchObject([{ kind: 'unblock_notice' }]);
  });

  it('refuses to lift a limit that depends on other work', () => {
    addBlockedIssue(42, { status: 'ready', blockedKind: 'max_open_runs', error: '2 of 2 runs are open' });
    const before = dump();
    expect(reset({ requestId: 'all' })).toEqual({ kind: 'reset', pulls: [] });
    expect(reset({ pulls: [{ repo: null, issueNumber: 42 }] })).toEqual({
      kind: 'refused',
      reason:
        'ada/engine#42 waits for free capacity, which a retry does not change: 2 of 2 runs are open. Nothing was changed.',
    });
    expect(dump()).toEqual(before);
  });

  const addWaitingRetry = (prNumber: number) => {
    addPull(1, prNumber, false);
    const waiting = { state: 'queued', heartbeatAt: clock, notBefore: clock + 30_000, epoch: 3 } as const;
    const turn = aTurn({
      ...waiting,
      turnKey: `turn-${prNumber}`,
      runId: state.readPull(1, prNumber)?.runId ?? 0,
      issueNumber: prNumber + 100,
      prNumber,
      reason: 'the agent ended with 1',
    });
    state.recordTurn(turn, null);
    return turn;
  };

  it.each([
    ['named', [named(7)]],
    ['all', null],
  ])('starts a delayed retry immediately, and only once (%s)', (_name, pulls) => {
    const turn = addWaitingRetry(7);
    const first = reset({ pulls, reason: 'the model is back' });
    expect(first).toMatchObject({
      kind: 'reset',
      pulls: [{ prNumber: 7, blockedKind: null, reason: 'the agent ended with 1' }],
    });
    const queued = eventsOf(7).find(({ type }) => type === 'turn_queued');
    expect(queued?.payload).toMatchObject({ reason: 'an operator asked for a retry: the model is back' });
    expect(state.readTurn(turn.turnKey)).toMatchObject({ epoch: 4, notBefore: null });
    expect(state.listActionsOfThread(1, 7, 10)).toEqual([]);
    const after = dump();
    expect(reset({ pulls })).toEqual(first);
    expect(dump()).toEqual(after);
  });

  it('keeps a retry waiting until the usage limit resets, and returns that time', () => {
    addPull(1, 7, false);
    const runId = state.readPull(1, 7)?.runId ?? 0;
    const waiting = { state: 'queued', heartbeatAt: clock, notBefore: clock + 30_000, epoch: 3 } as const;
    const turn = aTurn({ ...waiting, runId, issueNumber: 107, prNumber: 7, reason: 'ended with 1' });
    state.recordTurn(turn, null);
    const expiresAt = clock + 3_600_000;
    const since = clock;
    state.saveAgentLimit({ adapter: 'codex', since, until: expiresAt, reason: 'usage-limit: no credit' });
    state.saveAgentLimit({ adapter: 'claude', since, until: 9e9, reason: 'usage-limit: none' });
    const limited = { pulls: [{ prNumber: 7, limit: { adapter: 'codex', until: expiresAt } }] };
    const wish = request({ pulls: [named(7)] });
    expect(previewReset({ state, now: () => clock, agentsOf }, wish)).toMatchObject(limited);
    const first = reset({ pulls: [named(7)] });
    expect(first).toMatchObject(limited);
    const moved = { epoch: 4, notBefore: expiresAt, reason: 'usage-limit: no credit' };
    expect(state.readTurn(turn.turnKey)).toMatchObject(moved);
    expect(reset({ pulls: [named(7)] })).toEqual(first);
    clock = expiresAt + 1;
    expect(reset({ pulls: [named(7)], expiresAt: clock })).toEqual(first);
  });

  it('resumes issues together with pull requests, and refuses a head for an issue', () => {
    addPull(1, 7);
    const runId = addBlockedIssue(42);
    const withHead = { requestId: 'r2', pulls: [{ repo: null, issueNumber: 42 }], headSha: NEW };
    expect(reset(withHead)).toMatchObject({ kind: 'refused' });
    expect(reset({})).toMatchObject({ pulls: [{ prNumber: 7 }, { prNumber: null, issueNumber: 42 }] });
    expect([state.readPull(1, 7)?.status, state.readRun(runId)?.status]).toEqual([
      'awaiting_feedback',
      'ready',
    ]);
  });

  it('resumes the pull request if the issue has one', () => {
    addPull(1, 7);
    expect(reset({ pulls: [{ repo: null, issueNumber: 107 }] })).toMatchObject({ pulls: [{ prNumber: 7 }] });
    expect(state.readPull(1, 7)?.status).toBe('awaiting_feedback');
  });

  it('resumes all blocked work, or only that of one repository', () => {
    addPull(1, 7);
    addPull(1, 8, false);
    addPull(2, 9);
    expect(reset({ repo: 'ada/loom' })).toMatchObject({ pulls: [{ prNumber: 9 }] });
    expect(reset({ requestId: 'r2' })).toMatchObject({ pulls: [{ prNumber: 7 }] });
    expect(reset({ requestId: 'r3' })).toEqual({ kind: 'reset', pulls: [] });
  });

  it.each([
    ['named', [named(7)]],
    ['all', null],
  ])('gives a repeated request the first answer, and changes nothing more (%s)', (_name, pulls) => {
    addPull(1, 7);
    addPull(1, 8, false);
    const first = reset({ pulls });
    const after = dump();
    expect(reset({ pulls })).toEqual(first);
    expect(dump()).toEqual(after);
    block(1, 7);
    block(1, 8);
    const blockedAgain = dump();
    expect(reset({ pulls })).toEqual(first);
    expect(dump()).toEqual(blockedAgain);
  });

  it('previews without changing anything', () => {
    addPull(1, 7);
    showHead(7, NEW);
    const before = dump();
    const wish = request({ pulls: [named(7)], headSha: NEW });
    expect(previewReset({ state, now: () => clock, agentsOf }, wish)).toMatchObject({
      pulls: [{ prNumber: 7, acceptedHeadSha: NEW }],
    });
    expect(dump()).toEqual(before);
  });

  it.each<[string, object]>([
    ['a short sha', { headSha: 'abc' }],
    ['no pull requests at all', { pulls: [] }],
    ['a path for a repository', { repo: '../../etc' }],
    ['a request id with a path', { requestId: '../x' }],
    ['an extra field', { force: true }],
  ])('is never called with %s, because the ledger rejects the message', (_name, wrong) => {
    expect(LedgerMessage.safeParse(request({})).success).toBe(true);
    expect(LedgerMessage.safeParse({ ...request({}), ...wrong }).success).toBe(false);
  });
});

function named(prNumber: number, repo: string | null = null): { repo: string | null; prNumber: number } {
  return { repo, prNumber };
}
