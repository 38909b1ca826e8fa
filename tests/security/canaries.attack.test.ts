import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAgents } from '@mergexo/agents';
import { findToken, readSettings, type Settings } from '@mergexo/config';
import { createLog } from '@mergexo/log';
import { openState, type State } from '@mergexo/state';
import {
  aRequest,
  CANARIES,
  CANARY_ROWS,
  createLeakFinder,
  createTemporaryDirectory,
  findLeak,
  startProgram,
} from '@mergexo/testkit';
import {
  addBlocked,
  addComment,
  addHeartbeat,
  addPull,
  addRepository,
  ask,
  createDashboardStage,
  type DashboardStage,
} from '../fleet/dashboard-stage.js';

const CLI = fileURLToPath(new URL('../../apps/cli/bin/mergexo.js', import.meta.url));
const env = {
  GITHUB_TOKEN: CANARIES['a classic GitHub token'],
  GH_TOKEN: CANARIES['a fine-grained GitHub token'],
  MERGEXO_REVIEWER_TOKEN: CANARIES['the reviewer’s token'],
  MERGEXO_DASHBOARD_PASSWORD: CANARIES['the dashboard password'],
  MERGEXO_SECRET: `${CANARIES['the signing secret']}\n${CANARIES['an older signing secret']}`,
  OPENAI_API_KEY: CANARIES['an OpenAI key'],
  ANTHROPIC_API_KEY: CANARIES['an Anthropic key'],
  CODEX_REFRESH: CANARIES['a Codex refresh token'],
  CODEX_ACCESS: CANARIES['a Codex access token'],
};
const PASSED = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'CODEX_REFRESH', 'CODEX_ACCESS', 'LOGIN_OF_GH'];
const CONFIG = `[agent]\npass_env = ${JSON.stringify(PASSED)}\n[repo.n]\nowner = "o"\nname = "n"\n`;

/** Prints the canary in its home directory to standard error and standard output, and exits with an error. */
const AGENT = `
const { readFileSync, writeSync } = require('node:fs');
const text = readFileSync(process.env.HOME + '/canary', 'utf8');
writeSync(2, 'stderr says ' + text + '\\n');
writeSync(1, 'stdout says ' + text + '\\n');
process.exitCode = 3;
`;

const directory = createTemporaryDirectory();
let settings: Settings;
beforeAll(async () => {
  const configPath = join(directory.path, 'mergexo.toml');
  writeFileSync(configPath, CONFIG);
  writeFileSync(join(directory.path, 'gh'), `#!/bin/sh\necho '${CANARIES['a GitHub CLI token']}'\n`);
  chmodSync(join(directory.path, 'gh'), 0o700);
  const password = { MERGEXO_REDIS_PASSWORD: CANARIES['the Redis password'] };
  settings = readSettings({ configPath, env: { ...env, ...password }, homeDir: directory.path });
  const source = { ...settings, githubToken: undefined, childEnv: { PATH: directory.path } };
  expect(await findToken(source, () => 0)()).toBe(CANARIES['a GitHub CLI token']);
});
afterAll(() => directory.remove());

describe('the log and the database', () => {
  let state: State;
  beforeAll(() => {
    state = openState(join(directory.path, 'state.db'), settings.redact);
    addRepository(state);
  });
  afterAll(() => state.close());

  it.each(CANARY_ROWS)('contain no trace of $name $encoding', async ({ secret, text, ...row }) => {
    const lines: string[] = [];
    const stdout = { write: (line: string) => lines.push(line) };
    const { log, close } = createLog({ app: 'poller', level: 'info', redact: settings.redact, stdout });
    const cause = new Error(`git printed ${text}`);
    log.error({ err: new Error(`failed with ${text}`, { cause }), deep: { text: [text] } }, `text ${text}`);
    await close();

    const issueNumber =
      CANARY_ROWS.findIndex(({ name, encoding }) => name === row.name && encoding === row.encoding) + 1;
    const run = addPull(state, issueNumber, 1_000 + issueNumber, `title ${text}`);
    state.saveRun({ ...run, error: text }, 1);
    state.recordEvent({ type: 'run_blocked', repoId: 1, runId: run.id, issueNumber, payload: { text } }, 1);
    state.saveHealth({ subject: 'github', code: 'failing', detail: text }, 1);
    const outlets = {
      'the log': lines.join(''),
      'a run': JSON.stringify(state.listRunsOfIssue(1, issueNumber)),
      'an event': JSON.stringify(state.listEventsOfIssue(1, issueNumber)),
      'the health': JSON.stringify(state.listHealth()),
    };
    expectNoLeak(outlets, { secret, text });
  });
});

/** Tests only one encoding of each secret, because every test starts a process. */
const SPOKEN = Object.keys(CANARIES).flatMap((name, at) => {
  const rows = CANARY_ROWS.filter((row) => row.name === name);
  return rows[(at * 5) % rows.length] ?? [];
});

describe('the failure of an agent and the log of its turn', () => {
  it.each(SPOKEN)('contain no trace of $name $encoding', async ({ secret, text }) => {
    const home = createTemporaryDirectory();
    writeFileSync(join(home.path, 'canary'), text);
    const host = { env: {}, passEnv: [], runsDir: join(home.path, 'runs'), readOnlyPaths: [] };
    const agents = createAgents({
      host: { ...host, redact: settings.redact },
      sandbox: 'none',
      bubblewrap: { kind: 'unusable', reason: 'not in this test' },
      limits: { wallMs: 60_000, silenceMs: 60_000 },
      settings: { command: { argv: [process.execPath, '-e', AGENT] } },
      turnLogs: join(home.path, 'turns'),
    });
    const found = agents.find('command');
    if (found.kind === 'refused') throw new Error(found.reason);
    const signal = new AbortController().signal;
    const ended = await found.agent.runTurn(aRequest('bugfix_start'), {
      cwd: home.path,
      home: home.path,
      signal,
    });
    const turns = readdirSync(join(home.path, 'turns'));
    const outlets = {
      'the failure of an agent': JSON.stringify(ended),
      'the log of the turn': readFileSync(join(home.path, 'turns', turns[0] ?? ''), 'utf8'),
    };
    home.remove();
    expectNoLeak(outlets, { secret, text });
  });
});

describe('the dashboard and the command line', () => {
  let stage: DashboardStage;
  const outlets = new Map<string, string>();
  const finders = new Map<string, ReturnType<typeof createLeakFinder>>();
  beforeAll(async () => {
    stage = await createDashboardStage();
    writeFileSync(
      stage.fleet.configPath,
      `${readFileSync(stage.fleet.configPath, 'utf8')}\n[agent]\npass_env = ${JSON.stringify(PASSED)}\n`,
    );
    // This database is written without redaction, as if it were older than the secrets.
    stage.edit((state) => {
      addRepository(state);
      addHeartbeat(state);
      addBlocked(state, 7);
      const run = addPull(state, 1, 2, 'Canaries');
      for (const [at, { text }] of canaries().entries())
        addComment(state, run, at + 1, 1_000, { body: text });
      for (const { text } of canaries())
        state.recordEvent(
          { type: 'run_blocked', repoId: 1, runId: run.id, issueNumber: 1, payload: { reason: text } },
          Date.now(),
        );
    });
    const secrets = { ...env, LOGIN_OF_GH: CANARIES['a GitHub CLI token'] };
    const base = await stage.startDashboard(secrets);
    const authorization = `Basic ${Buffer.from(`x:${env.MERGEXO_DASHBOARD_PASSWORD}`).toString('base64')}`;
    for (const path of [
      '/',
      '/issues',
      '/issues/o/n/1',
      '/workers',
      '/repositories',
      '/costs',
      '/costs.csv',
      '/activity',
      '/metrics',
      '/readyz',
    ]) {
      const { status, body } = await ask(base, path, { headers: { authorization } });
      expect([path, status]).toEqual([path, 200]);
      outlets.set(path, body);
    }
    const redis = { MERGEXO_REDIS_PASSWORD: stage.fleet.target.password ?? '' };
    for (const args of [
      ['explain', '1', '--verbose'],
      ['explain', '1', '--json'],
      ['status'],
      ['status', '--json'],
      ['feedback', 'blocked', 'list', '--json'],
    ]) {
      const program = startProgram(CLI, [...args, '--config', stage.fleet.configPath], {
        ...secrets,
        ...redis,
      });
      await program.exited;
      outlets.set(args.join(' '), program.output());
    }
    for (const [name, sent] of outlets) finders.set(name, createLeakFinder(sent));
  });
  afterAll(() => stage?.close());

  it('show the comments that contained the canaries', () => {
    for (const outlet of ['/issues/o/n/1', 'explain 1 --verbose', 'explain 1 --json'])
      expect([outlet, outlets.get(outlet)?.includes('[redacted]')]).toEqual([outlet, true]);
  });

  it.each(canaries())('contain no trace of $name $encoding', (canary) => {
    const leaks = [...finders].map(([name, find]) => [name, find(canary)]);
    expect(leaks.filter(([, leak]) => leak !== undefined)).toEqual([]);
  });
});

function expectNoLeak(
  outlets: Readonly<Record<string, string>>,
  canary: { secret: string; text: string },
): void {
  const leaks = Object.entries(outlets).map(([name, sent]) => [name, findLeak(sent, canary)]);
  expect(leaks.filter(([, leak]) => leak !== undefined)).toEqual([]);
  expect(Object.values(outlets).every((sent) => sent.includes('[redacted]'))).toBe(true);
}

/** Lists the canaries that these programs know. Omits the Redis password, because the fleet chooses its own. */
function canaries() {
  return CANARY_ROWS.filter(({ name }) => name !== 'the Redis password');
}
