import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTwin, type Twin } from '@mergexo/github-twin';
import { createTemporaryDirectory, startProgram } from '@mergexo/testkit';

const CLI = fileURLToPath(new URL('../../apps/cli/bin/mergexo.js', import.meta.url));
const REPO = 'alice/app';
const LABELS = ['agent:design', 'agent:bugfix', 'agent:small-job', 'agent:ignore', 'agent:human-review'];

type Finding = { name: string; status: string; detail: string; fix?: string };

/** Each repository has one problem. A single run of doctor finds all problems. */
const FAULTY: [id: string, repo: string, name: string, message: RegExp][] = [
  ['typo', 'alice/typo', 'repo', /failure.*alice\/typo.*owner and name in \[repo\.typo\]/],
  ['old', 'alice/old', 'repo', /warning.*now called alice\/engine.*\[repo\.old\]/],
  ['shown', 'alice/shown', 'access', /failure.*not push.*role Write in the settings of alice\/shown/],
  ['done', 'alice/done', 'access', /failure.*alice\/done is archived.*Unarchive/],
  [
    'other',
    'alice/other',
    'branch',
    /failure.*alice\/other has no branch develop.*default_branch = \\"main\\"/,
  ],
  ['bare', 'alice/bare', 'labels', /warning.*agent:bugfix, agent:small-job, agent:ignore.*init --labels/],
  ['tool', 'acme/tool', 'people', /failure.*acme\/tool.*allowed_users in \[repo\.tool\]/],
];

type ConfigOverrides = { apiUrl: string; argv: string; repos: string };
type Fault = {
  what: string;
  check: string;
  message: RegExp;
  login?: string;
  token?: () => string;
  overrides?: () => Partial<ConfigOverrides>;
};

describe('mergexo doctor and init with a GitHub login', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let twin: Twin;
  let later: Twin;
  let closedApi: string;
  beforeAll(async () => {
    directory = createTemporaryDirectory();
    const gone = await startTwin();
    await gone.stop();
    closedApi = gone.apiUrl;
    const write = {
      robot: 'write',
      critic: 'write',
      guest: 'read',
      late: 'write',
      busy: 'write',
      unlucky: 'write',
    } as const;
    const aRepo = (name: string, labels = LABELS) => ({
      name,
      permissions: write,
      files: { 'README.md': '# app\n' },
      labels,
    });
    const people = ['alice', 'robot', 'critic', 'guest', 'alien', 'late', 'busy', 'unlucky'].map((login) => ({
      login,
    }));
    twin = await startTwin({
      seed: {
        users: [...people, { login: 'acme', type: 'Organization' }],
        repos: [
          aRepo(REPO),
          ...['alice/old', 'alice/shown', 'alice/done', 'alice/other', 'acme/tool'].map((name) =>
            aRepo(name),
          ),
          aRepo('alice/bare', ['agent:design']),
          aRepo('alice/fresh', ['agent:design']),
        ],
      },
    });
    later = await startTwin({ seed: { users: people, repos: [aRepo(REPO)] } });
    later.control.advance(120_000);
    twin.control.rename('alice/old', 'engine');
    twin.control.setPermission('alice/shown', 'robot', 'read');
    twin.control.archive('alice/done', true);
    twin.control.expireToken('late');
    twin.control.exhaustRate('busy');
    twin.control.fault({ kind: 'error', status: 503, route: 'GET /user', user: 'unlucky', times: null });
  });
  afterAll(async () => {
    const strange = twin.control.violations().filter((text) => !text.startsWith('GET /api/v4/'));
    expect([...strange, ...later.control.violations()]).toEqual([]);
    await Promise.all([twin.stop(), later.stop()]);
    directory.remove();
  });

  const run = async (args: string[], config: string, token: string | undefined, reviewer = '') => {
    const program = startProgram(CLI, args, {
      MERGEXO_REVIEWER_TOKEN: reviewer,
      HOME: directory.path,
      GH_CONFIG_DIR: join(directory.path, 'gh'),
      MERGEXO_CONFIG: join(directory.path, config),
      GITHUB_TOKEN: token,
      GH_TOKEN: '',
    });
    return { code: await program.exited, output: program.output() };
  };
  const writeConfig = (config: string, overrides: Partial<ConfigOverrides> = {}): void => {
    const { apiUrl = twin.apiUrl, argv = process.execPath, repos = renderRepo('main', REPO) } = overrides;
    const agent = `[agent]\nadapter = "command"\nsandbox = "none"\n[command]\nargv = ["${argv}"]\n`;
    writeFileSync(join(directory.path, config), `[github]\napi_url = "${apiUrl}"\n${agent}${repos}`);
  };
  const renderRepo = (id: string, repo: string, keys = ''): string => {
    const [owner, name] = repo.split('/');
    return `[repo.${id}]\nowner = "${owner}"\nname = "${name}"\n${keys}\n`;
  };
  const listLabels = (repo: string): string[] => {
    const [owner, name] = repo.split('/');
    const { repos, labels } = twin.world.store;
    const id = repos.find((row) => row.owner === owner && row.name === name)?.id;
    return labels.filter((row) => row.repoId === id).map((row) => row.name);
  };
  const token = (login = 'robot'): string => twin.tokens[login] ?? '';

  it('reports no problem in a repository that init set up, and finds the labels that init created', async () => {
    const initArgs = ['--repo', 'alice/fresh', '--api-url', twin.apiUrl, '--agent', 'command'];
    const agentArgs = ['--command', process.execPath, '--json'];
    const preview = await run(
      ['init', '--dry-run', '--labels', ...initArgs, ...agentArgs],
      'new.toml',
      token(),
    );
    expect(JSON.parse(preview.output).files.map(({ result }: { result: string }) => result)).toEqual(
      Array.from({ length: 4 }, () => 'missing'),
    );
    expect([existsSync(join(directory.path, 'new.toml')), listLabels('alice/fresh')]).toEqual([
      false,
      ['agent:design'],
    ]);

    const created = await run(['init', '--labels', ...initArgs, ...agentArgs], 'new.toml', token());
    expect([created.code, JSON.parse(created.output).files.slice(4)]).toEqual([
      0,
      LABELS.map((label, index) => ({
        name: 'label',
        path: `alice/fresh ${label}`,
        result: index === 0 ? 'kept' : 'created',
      })),
    ]);
    expect(listLabels('alice/fresh').sort()).toEqual([...LABELS].sort());

    const { output } = await run(['doctor', '--json'], 'new.toml', token());
    const checks: Finding[] = JSON.parse(output).checks;
    const names = ['login', 'scopes', 'clock', 'access', 'branch', 'labels'];
    const github = checks.filter(({ name }) => names.includes(name));
    expect(github.map(({ name, status }) => [name, status])).toEqual(names.map((name) => [name, 'ok']));
    expect(output).not.toContain(token());
  });

  it.each<[string, () => string, RegExp]>([
    ['can review', () => token('critic'), /ok.*critic may approve and reject in alice\/app/],
    ['is the same as the first login', () => token(), /warning.*belongs to robot too.*another login/],
    ['is rejected', () => token('late'), /failure.*rejects MERGEXO_REVIEWER_TOKEN.*new token/],
    ['has only read access', () => token('guest'), /warning.*do not count.*role Write/],
    ['has no access', () => token('alien'), /failure.*alien cannot see the repository.*role Write/],
  ])('reports whether the second login %s', async (_name, reviewer, message) => {
    writeConfig('reviewer.toml');
    const { output } = await run(['doctor', '--json'], 'reviewer.toml', token(), reviewer());
    const checks: Finding[] = JSON.parse(output).checks;
    expect(checks.filter(({ name }) => name === 'reviewer').map(show)).toEqual([
      expect.stringMatching(message),
    ]);
    expect(output).not.toContain(reviewer());
  });

  it('reports why init could not create the labels', async () => {
    writeConfig('shown.toml', { repos: renderRepo('main', 'alice/shown', 'design_label = "no:such"') });
    const { code, output } = await run(['init', '--labels'], 'shown.toml', token());
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/The labels could not be created: .*denied access/),
    ]);
  });

  it('finds every problem in the repositories, and names the fix for each problem', async () => {
    const keys = { other: 'default_branch = "develop"' };
    const repos = FAULTY.map(([id, repo]) => renderRepo(id, repo, id === 'other' ? keys.other : ''));
    writeConfig('repos.toml', { repos: repos.join('') });
    const { code, output } = await run(['doctor', '--json'], 'repos.toml', token());
    const checks: Finding[] = JSON.parse(output).checks;
    const problems = checks.filter(({ status }) => status !== 'ok');
    for (const [, , check, message] of FAULTY) {
      const lines = problems.filter(({ name }) => name === check).map(show);
      expect(lines).toContainEqual(expect.stringMatching(message));
    }
    expect(problems.filter(({ name }) => FAULTY.some(([, , check]) => check === name))).toHaveLength(
      FAULTY.length,
    );
    expect(code).toBe(1);
  });

  it('warns about configured logins that do not exist, with one GitHub request for each', async () => {
    const main = renderRepo('main', REPO, 'allowed_users = ["alice", "critic", "alcie"]');
    const bare = renderRepo(
      'bare',
      'alice/bare',
      'allowed_users = ["Critic", "alcie", "acme"]\noperator_logins = ["critic", "nobody"]',
    );
    writeConfig('people.toml', { repos: `${main}${bare}` });
    const before = twin.history.list().length;
    const { output } = await run(['doctor', '--json'], 'people.toml', token());
    const checks: Finding[] = JSON.parse(output).checks;
    expect(checks.filter(({ name }) => name === 'people').map(show)).toEqual([
      expect.stringMatching(
        /warning.*no user alcie.*allowed_users in \[repo\.main\] and allowed_users in \[repo\.bare\]/,
      ),
      expect.stringMatching(/warning.*acme is an organisation.*allowed_users in \[repo\.bare\]/),
      expect.stringMatching(/warning.*no user nobody.*operator_logins in \[repo\.bare\]/),
    ]);
    const initArgs = twin.history
      .list('request')
      .filter(({ seq }) => seq > before)
      .flatMap((entry) => ('path' in entry && entry.path.startsWith('/users/') ? [entry.path] : []));
    expect(initArgs.sort()).toEqual(['/users/acme', '/users/alcie', '/users/critic', '/users/nobody']);
  });

  it('warns if GitHub cannot say whether a login exists', async () => {
    writeConfig('unsure.toml', { repos: renderRepo('main', REPO, 'allowed_users = ["critic"]') });
    twin.control.fault({ kind: 'error', status: 503, route: 'GET /users/{username}', times: 1 });
    const { output } = await run(['doctor', '--json'], 'unsure.toml', token());
    const checks: Finding[] = JSON.parse(output).checks;
    expect(checks.filter(({ name }) => name === 'people').map(show)).toEqual([
      expect.stringMatching(
        /warning.*could not check these logins: critic \(503\).*Run `npx mergexo doctor` again/,
      ),
    ]);
  });

  it('reports whether required tests run in a sandbox', async () => {
    writeConfig('tests.toml', { repos: renderRepo('main', REPO, 'required_tests = "test.sh"') });
    const { output } = await run(['doctor', '--json'], 'tests.toml', token());
    const detail = 'required_tests of alice/app; not confined, as configured; network: all';
    expect(JSON.parse(output).checks).toContainEqual({ name: 'tests', status: 'ok', detail });
  });

  it.each<Fault>([
    {
      what: 'no login',
      check: 'login',
      token: () => '',
      message: /failure.*Set GITHUB_TOKEN.*gh auth login/,
    },
    {
      what: 'an expired token',
      check: 'login',
      login: 'late',
      message: /failure.*rejects the token.*Create a new token/,
    },
    {
      what: 'a token without the repo scope',
      check: 'scopes',
      token: () => twin.control.addToken('robot', ['public_repo']).secret,
      message: /failure.*gh auth refresh -s repo/,
    },
    {
      what: 'a token without the workflow scope',
      check: 'scopes',
      token: () => twin.control.addToken('robot', ['repo']).secret,
      message: /warning.*-s workflow/,
    },
    {
      what: 'an unreachable API',
      check: 'github',
      overrides: () => ({ apiUrl: closedApi }),
      message: /failure.*does not respond.*ECONNREFUSED.*github\.api_url/,
    },
    {
      what: 'a URL that is not the API',
      check: 'github',
      overrides: () => ({ apiUrl: `${twin.apiUrl}/api/v4` }),
      message: /failure.*returned 404.*Correct github\.api_url/,
    },
    {
      what: 'a GitHub outage',
      check: 'github',
      login: 'unlucky',
      message: /failure.*503.*githubstatus/,
    },
    {
      what: 'an exhausted rate limit',
      check: 'github',
      login: 'busy',
      message: /failure.*used up.*Wait until 2/,
    },
    {
      what: 'a slow clock',
      check: 'clock',
      token: () => later.tokens['robot'] ?? '',
      overrides: () => ({ apiUrl: later.apiUrl }),
      message: /warning.*1(19|2\d) s behind.*time synchronisation/,
    },
    {
      what: 'a missing agent',
      check: 'command',
      overrides: () => ({ argv: '/nonexistent/agent', apiUrl: closedApi }),
      message: /failure.*\/nonexistent\/agent does not exist.*Correct `argv` in \[command\]/,
    },
    {
      what: 'an agent with a relative path',
      check: 'config',
      overrides: () => ({ argv: './agent.sh' }),
      message: /failure.*command\.argv\[0\]: got ..\.\/agent\.sh.*relative path.*checkout.*absolute path/,
    },
    {
      what: 'a script with a relative path',
      check: 'command',
      overrides: () => ({ argv: 'sh", "./agent.sh', apiUrl: closedApi }),
      message: /failure.*\.\/agent\.sh is a relative path.*Write the absolute path of \.\/agent\.sh/,
    },
  ])('finds $what and names the fix', async ({ check, message, login, token: makeToken, overrides }) => {
    const secret = makeToken?.() ?? token(login);
    writeConfig('fault.toml', overrides?.());
    const { output } = await run(['doctor', '--json'], 'fault.toml', secret);
    const checks: Finding[] = JSON.parse(output).checks;
    const found = checks.filter(({ name, status }) => name === check && status !== 'ok');
    expect(found.map(show)).toEqual([expect.stringMatching(message)]);
    if (secret !== '') expect(output).not.toContain(secret);
  });
});

function show({ status, detail, fix }: Finding): string {
  return JSON.stringify([status, detail, fix]);
}
