import { execFile } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readSettings } from '@mergexo/config';
import { silentLog } from '@mergexo/core/basics';
import { describeHealth } from '@mergexo/core/health';
import { startTwin, type Twin } from '@mergexo/github-twin';
import { createHealth, linkGitHub } from '@mergexo/poller';
import { openState, type State } from '@mergexo/state';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { z } from 'zod';
import { keys, NAME } from '../stage/stage.js';
import { seedApp } from '../stage/stage-app.js';

const run = promisify(execFile);
const INSPECT = fileURLToPath(new URL('../../apps/poller/dist/bin/inspect-github-main.js', import.meta.url));
const Finding = z.object({ status: z.string(), detail: z.string() });

describe('the poller of a GitHub App', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let twin: Twin;
  let state: State;
  beforeEach(async () => {
    directory = createTemporaryDirectory();
    twin = await startTwin({
      seed: {
        users: [{ login: 'alice' }, { login: 'bob' }],
        repos: [
          { name: NAME, files: { a: 'a\n' } },
          { name: 'bob/tool', files: { a: 'a\n' } },
        ],
        apps: [
          { ...seedApp(), installations: [{ account: 'alice' }, { account: 'bob' }] },
          { ...seedApp(), slug: 'critic', installations: [{ account: 'alice' }, { account: 'bob' }] },
        ],
      },
    });
    state = openState(join(directory.path, 'state.db'));
    writeFileSync(path('key.pem'), twin.app('mergexo').keys()[0]?.pem ?? '', { mode: 0o600 });
    writeFileSync(path('critic.pem'), twin.app('critic').keys()[0]?.pem ?? '', { mode: 0o600 });
  });
  afterEach(async () => {
    state.close();
    await twin.stop();
    directory.remove();
  });

  const now = (): number => Date.now();
  const path = (name: string): string => join(directory.path, name);
  const tableOf = (slug: string, file: string): string =>
    `client_id = "${twin.app(slug).clientId}"\nprivate_key_path = "${path(file)}"\n`;
  const link = (more = '') => {
    writeFileSync(
      path('mergexo.toml'),
      [
        `[github]\napi_url = "${twin.apiUrl}"\n[github.app]\n${tableOf('mergexo', 'key.pem')}${more}`,
        '[repo.app]\nowner = "alice"\nname = "app"\n[repo.tool]\nowner = "bob"\nname = "tool"\n',
      ].join('\n'),
    );
    const settings = readSettings({ configPath: path('mergexo.toml'), env: {}, homeDir: directory.path });
    const health = createHealth({ state, log: silentLog, now, monotonicNow: now });
    const linked = linkGitHub(settings, { state, log: silentLog, keys, health });
    const problems = (): string[] => {
      health.report('poller');
      health.beat();
      const repos = state.listRepositories().map(({ id, owner, name }) => ({ id, name: `${owner}/${name}` }));
      const { problems: found } = describeHealth(state.listHealth(), {
        now: now(),
        repos,
        pollIntervalMs: 30_000,
      });
      return found.map(({ message }) => message);
    };
    return { ...linked, problems };
  };

  it('uses one token per installation, and reads and posts as the App’s bot', async () => {
    const { connect, github, redact } = link();
    const connected = await connect();
    expect(connected?.viewer).toMatchObject({ id: twin.app('mergexo').botId, login: 'mergexo[bot]' });
    expect(connected?.repos).toHaveLength(2);
    for (const repo of [NAME, 'bob/tool']) {
      const number = await twin.as(repo.split('/')[0] ?? '').openIssue(repo, { title: 'x', body: 'x' });
      await github.postIssueComment(repo, number, 'hello');
    }
    const tokens = twin.world.store.tokens.filter(({ installation }) => installation !== undefined);
    expect(tokens).toHaveLength(2);
    for (const { secret } of tokens) expect(redact(`token ${secret}.`)).not.toContain(secret.slice(-40));
    expect(redact(twin.app('mergexo').keys()[0]?.pem ?? '')).not.toContain('PRIVATE KEY');
  });

  it('reports a suspended installation, continues with others, and resumes by itself', async () => {
    await link().connect();
    twin.app('mergexo').suspend('alice');
    const { connect, problems } = link();
    const connected = await connect();
    expect(connected?.repos.map(({ config }) => config.fullName)).toEqual(['bob/tool']);
    expect(problems()).toEqual([
      expect.stringMatching(
        /refused access to alice\/app since .*installation of the GitHub App .* is suspended/,
      ),
    ]);
    twin.app('mergexo').unsuspend('alice');
    expect((await connect())?.repos).toHaveLength(2);
  });

  it('reports a key that is missing or that others can read', async () => {
    chmodSync(path('key.pem'), 0o644);
    const { connect, checkLogin, problems } = link();
    await checkLogin();
    expect(await connect()).toBeUndefined();
    expect(problems()).toEqual([expect.stringMatching(/no GitHub credentials/)]);
    chmodSync(path('key.pem'), 0o600);
    expect(await connect()).toBeDefined();
    expect(problems()).toEqual([]);
  });

  it('names each permission that the App lacks or that nobody accepted, with the page, for `mergexo doctor`', async () => {
    link();
    const { permissions } = seedApp();
    const app = twin.app('mergexo');
    app.setPermissions({ ...permissions, actions: 'read', statuses: 'read' });
    app.acceptPermissions('alice');
    app.setPermissions({ ...permissions, actions: 'read' });
    const env = { PATH: process.env['PATH'] ?? '', HOME: directory.path };
    const { stdout } = await run(process.execPath, [INSPECT, '--config', path('mergexo.toml')], { env });
    const found = z
      .object({ findings: z.array(Finding.extend({ fix: z.string().optional() })) })
      .parse(JSON.parse(stdout));
    const failures = found.findings.filter(
      ({ status, detail }) => status === 'failure' && detail.includes(NAME),
    );
    expect(failures.map(({ detail, fix }) => `${detail} ${fix}`)).toEqual([
      expect.stringMatching(/owner has not accepted statuses: write on .*settings\/installations\/\d+\.$/),
      expect.stringMatching(/App mergexo lacks actions: write on .*\/settings\/apps\/mergexo\/permissions\./),
    ]);
  });

  it('checks the App and its repositories for `mergexo doctor`, without another login', async () => {
    link();
    twin.app('mergexo').suspend('bob');
    const env = { PATH: process.env['PATH'], HOME: directory.path };
    const { stdout } = await run(process.execPath, [INSPECT, '--config', path('mergexo.toml')], { env });
    const { findings } = z.object({ findings: z.array(Finding) }).parse(JSON.parse(stdout));
    expect(findings.map(({ status, detail }) => `${status}: ${detail}`)).toEqual(
      expect.arrayContaining([
        `ok: mergexo[bot] at ${twin.apiUrl}`,
        'ok: mergexo[bot] can read alice/app',
        expect.stringMatching(/^failure: The installation of the GitHub App on bob\/tool is suspended/),
      ]),
    );
  });

  it('reviews as a second App', async () => {
    const { connect, reviewer } = link(`[review.app]\n${tableOf('critic', 'critic.pem')}`);
    const connected = await connect();
    const { botId } = twin.app('critic');
    expect(connected?.viewer.ids).toEqual(new Set([twin.app('mergexo').botId, botId]));
    expect(reviewer()).toBeDefined();
  });

  it('remembers the account before a switch to the App', async () => {
    const [repo] = (await link().connect())?.repos ?? [];
    state.recordAccount(repo?.id ?? 0, 4_711, now());
    expect((await link().connect())?.viewer.ids).toEqual(new Set([twin.app('mergexo').botId, 4_711]));
  });
});
