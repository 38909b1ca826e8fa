import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MAX_STEP_TEXT } from '@mergexo/core/agent';
import { toLine } from '@mergexo/core/printable';
import { createRedis } from '@mergexo/queue';
import type { State } from '@mergexo/state';
import { CANARIES, CANARY_ROWS, createLeakFinder, ENCODINGS, startProgram } from '@mergexo/testkit';
import {
  addBlocked,
  addComment,
  addHeartbeat,
  addPull,
  addRepository,
  addRunningTurn,
  ask,
  blockPull,
  createDashboardStage,
  type DashboardStage,
} from '../fleet/dashboard-stage.js';
import { readEvents } from '../fleet/read-events.js';

const CLI = fileURLToPath(new URL('../../apps/cli/bin/mergexo.js', import.meta.url));
const PASSED = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'CODEX_REFRESH', 'CODEX_ACCESS', 'LOGIN_OF_GH'];
const secrets = {
  GITHUB_TOKEN: CANARIES['a classic GitHub token'],
  GH_TOKEN: CANARIES['a fine-grained GitHub token'],
  LOGIN_OF_GH: CANARIES['a GitHub CLI token'],
  MERGEXO_REVIEWER_TOKEN: CANARIES['the reviewer’s token'],
  MERGEXO_DASHBOARD_PASSWORD: CANARIES['the dashboard password'],
  MERGEXO_SECRET: `${CANARIES['the signing secret']}\n${CANARIES['an older signing secret']}`,
  OPENAI_API_KEY: CANARIES['an OpenAI key'],
  ANTHROPIC_API_KEY: CANARIES['an Anthropic key'],
  CODEX_REFRESH: CANARIES['a Codex refresh token'],
  CODEX_ACCESS: CANARIES['a Codex access token'],
};
const authorization = `Basic ${Buffer.from(`x:${secrets.MERGEXO_DASHBOARD_PASSWORD}`).toString('base64')}`;
/** The canaries that these programs know. The fleet chooses its own Redis password, which other tests search for. */
const KNOWN = CANARY_ROWS.filter(({ name }) => name !== 'the Redis password');

const JOB = 'job-1';
const PAGES = [
  ...[
    '/',
    '/issues',
    '/issues/o/n/1',
    '/workers',
    '/repositories',
    '/costs?by=issue',
    '/costs.csv?by=issue',
    '/activity',
  ],
  ...['/metrics', '/readyz', '/queues/api/queues?activeQueue=ledger&status=completed&page=1&jobsPerPage=10'],
  ...[`/queues/api/queues/ledger/${JOB}`, `/queues/api/queues/ledger/${JOB}/logs`],
];
const COMMANDS = [
  ['explain', '1', '--verbose'],
  ['explain', '1', '--json'],
  ['status'],
  ['status', '--json'],
  ['feedback', 'blocked', 'list', '--json'],
  ['logs', '1'],
  ['logs', '1', '--json'],
  ['cost', '--by', 'issue'],
  ['cost', '--by', 'phase', '--json'],
];
/** Outlets without any text by agents and other programs. */
const PLAIN = ['/workers', '/repositories', '/activity', '/metrics', '/readyz'];

describe('the dashboard and the command line', () => {
  let stage: DashboardStage;
  const outlets = new Map<string, string>();
  const finders = new Map<string, ReturnType<typeof createLeakFinder>>();
  beforeAll(async () => {
    stage = await createDashboardStage();
    const { configPath, target } = stage.fleet;
    const passed = `\n[agent]\npass_env = ${JSON.stringify(PASSED)}\n`;
    writeFileSync(configPath, readFileSync(configPath, 'utf8') + passed);
    const password = target.password ?? '';
    const texts = [
      ...KNOWN.map(({ text }) => text),
      ...Object.values(ENCODINGS).map((hide) => hide(password)),
    ];
    // This database is written without redaction, as if it were older than the secrets.
    const turnKey = stage.edit((state) => fill(state, texts));
    await fillQueue(stage, texts);
    const base = await stage.startDashboard(secrets);
    for (const path of [...PAGES, `/turns/${turnKey}`]) {
      const { status, body } = await ask(base, path, { headers: { authorization } });
      expect([path, status]).toEqual([path, 200]);
      outlets.set(path === `/turns/${turnKey}` ? 'the page of a turn' : path, body);
    }
    const stream = `${base.slice(0, -1)}/turns/${turnKey}/events`;
    const events = await readEvents(stream, ({ data }) => String(data).includes(LAST), { authorization });
    outlets.set('the stream of a turn', events.map(({ data }) => String(data)).join('\n'));
    await Promise.all(
      COMMANDS.map(async (args) => {
        const env = { ...secrets, MERGEXO_REDIS_PASSWORD: password };
        const program = startProgram(CLI, [...args, '--config', configPath], env);
        await program.exited;
        outlets.set(args.join(' '), program.output());
      }),
    );
    for (const [name, sent] of outlets) finders.set(name, createLeakFinder(sent));
  });
  afterAll(() => stage?.close());

  const expectNoLeak = (canary: { secret: string; text: string }): void => {
    const leaks = [...finders].map(([name, find]) => [name, find(canary)]);
    expect(leaks.filter(([, leak]) => leak !== undefined)).toEqual([]);
  };

  it('show texts that contained canaries, so that these tests search in something', () => {
    const empty = [...outlets].filter(([, sent]) => !sent.includes('[redacted]'));
    expect(empty.map(([name]) => name)).toEqual(PLAIN);
  });

  it.each(KNOWN)('contain no trace of $name $encoding', expectNoLeak);

  it.each(Object.entries(ENCODINGS))('contain no trace of the password of Redis %s', (_encoding, hide) => {
    const secret = stage.fleet.target.password ?? '';
    expectNoLeak({ secret, text: hide(secret) });
  });
});

const LAST = 'the last step';

/** Adds an issue whose comments, steps, events and costs contain the texts. Returns the key of its turn. */
function fill(state: State, texts: readonly string[]): string {
  addRepository(state);
  addHeartbeat(state);
  addBlocked(state, 7);
  for (const [at, text] of texts.entries()) if (at % 23 === 0) addTitled(state, 100 + at, text);
  const run = addPull(state, 1, 2, 'Canaries');
  const turnKey = addRunningTurn(state, run);
  const about = { repoId: 1, runId: run.id, issueNumber: 1 };
  const now = Date.now();
  for (const [at, text] of texts.entries()) {
    addComment(state, run, at + 1, 1_000, { body: text });
    state.recordEvent({ type: 'run_blocked', ...about, payload: { reason: text } }, now);
    const usage = { inputTokens: 1, outputTokens: 1, costUsd: 1, adapter: 'command', model: text };
    state.recordSpend({ ...about, turnKey, attempt: at + 1, ...usage }, now);
  }
  // MergeXO stores each step as a short line. Other tests search in the line that it makes from a longer text.
  const lines = texts.filter((text) => toLine(text, MAX_STEP_TEXT) === text);
  const steps = [...lines, LAST].map((text) => ({ kind: 'say' as const, text }));
  state.recordAgentSteps({ turnKey, attempt: 2, first: 0, steps }, now);
  return turnKey;
}

/** Adds a blocked pull request with the text as its title and as the reason of the block. */
function addTitled(state: State, number: number, text: string): void {
  const run = addPull(state, number, 1_000 + number, text);
  blockPull(state, { repoId: 1, prNumber: 1_000 + number }, { reason: text, at: Date.now() });
  const about = { repoId: 1, runId: run.id, issueNumber: number, turnKey: `key ${number}`, attempt: 1 };
  state.recordSpend({ ...about, inputTokens: 1, outputTokens: 1, costUsd: 1 }, Date.now());
}

/** Adds a completed job whose fields and log contain the texts. */
async function fillQueue({ fleet }: DashboardStage, texts: readonly string[]): Promise<void> {
  const redis = createRedis(fleet.target);
  await redis.connect();
  const value = JSON.stringify({ text: JSON.stringify({ kind: 'x', texts }), mac: 'x' });
  const fields = {
    name: 'x',
    timestamp: '1',
    data: value,
    returnvalue: value,
    failedReason: texts.join('\n'),
  };
  await redis.hset(`mergexo:ledger:${JOB}`, { ...fields, stacktrace: JSON.stringify(texts) });
  await redis.zadd('mergexo:ledger:completed', 1, JOB);
  await redis.rpush(`mergexo:ledger:${JOB}:logs`, ...texts);
  redis.disconnect();
}
