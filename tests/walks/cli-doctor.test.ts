import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTwin, type Twin } from '@mergexo/github-twin';
import { createTemporaryDirectory, startProgram } from '@mergexo/testkit';

const CLI = fileURLToPath(new URL('../../apps/cli/bin/mergexo.js', import.meta.url));
const REPO = 'alice/app';
const LABELS = ['agent:design', 'agent:bugfix', 'agent:small-job', 'agent:ignore', 'agent:human-review'];

type Finding = { name: string; status: string; detail: string; fix?: string };

/** Each repository has one problem. A single run of doctor finds all of them. */
const FAULTY: [id: string, repo: string, name: string, complaint: RegExp][] = [
  ['typo', 'alice/typo', 'repo', /failure.*alice\/typo.*owner and name in \[repo\.typo\]/],
  ['old', 'alice/old', 'repo', /warning.*now called alice\/engine.*\[repo\.old\]/],
  ['shown', 'alice/shown', 'access', /failure.*not push.*role Write in the settings of alice\/shown/],
  ['done', 'alice/done', 'access', /failure.*alice\/done is archived.*Unarchive/],
  ['odd', 'alice/odd', 'branch', /failure.*alice\/odd has no branch develop.*default_branch = \\"main\\"/],
  ['bare', 'alice/bare', 'labels', /warning.*agent:bugfix, agent:small-job, agent:ignore.*init --labels/],
  ['tool', 'acme/tool', 'people', /failure.*acme\/tool.*allowed_users in \[repo\.tool\]/],
];

type Place = { apiUrl: string; argv: string; repos: string };
type Fault = {
  what: string;
  check: string;
  complaint: RegExp;
  login?: string;
  token?: () => string;
  place?: () => Partial<Place>;
};

describe('mergexo doctor and init, on GitHub', () => {
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
          ...['alice/old', 'alice/shown', 'alice/done', 'alice/odd', 'acme/tool'].map((name) => aRepo(name)),
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
  const plant = (config: string, place: Partial<Place> = {}): void => {
    const { apiUrl = twin.apiUrl, argv = process.execPath, repos = renderRepo('main', REPO) } = place;
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
    const asked = ['--repo', 'alice/fresh', '--api-url', twin.apiUrl, '--agent', 'command'];
    const words = ['--command', process.execPath, '--json'];
    const preview = await run(['init', '--dry-run', '--labels', ...asked, ...words], 'new.toml', token());
    expect(JSON.parse(preview.output).made.map(({ done }: { done: string }) => done)).toEqual(
      Array.from({ length: 4 }, () => 'missing'),
    );
    expect([existsSync(join(directory.path, 'new.toml')), listLabels('alice/fresh')]).toEqual([
      false,
      ['agent:design'],
    ]);

    const made = await run(['init', '--labels', ...asked, ...words], 'new.toml', token());
    expect([made.code, JSON.parse(made.output).made.slice(4)]).toEqual([
      0,
      LABELS.map((label, index) => ({
        what: 'label',
        path: `alice/fresh ${label}`,
        done: index === 0 ? 'kept' : 'created',
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
    ['is the same as the first', () => token(), /warning.*belongs to robot too.*another login/],
    ['is rejected', () => token('late'), /failure.*rejects MERGEXO_REVIEWER_TOKEN.*new token/],
    ['has read access only', () => token('guest'), /warning.*do not count.*role Write/],
    ['has no access', () => token('alien'), /failure.*shows alien no repository.*role Write/],
  ])('reports whether the second login %s', async (_name, reviewer, complaint) => {
    plant('reviewer.toml');
    const { output } = await run(['doctor', '--json'], 'reviewer.toml', token(), reviewer());
    const checks: Finding[] = JSON.parse(output).checks;
    expect(checks.filter(({ name }) => name === 'reviewer').map(show)).toEqual([
      expect.stringMatching(complaint),
    ]);
    expect(output).not.toContain(reviewer());
  });

  it('reports why the labels could not be created', async () => {
    plant('shown.toml', { repos: renderRepo('main', 'alice/shown', 'design_label = "no:such"') });
    const { code, output } = await run(['init', '--labels'], 'shown.toml', token());
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/The labels could not be created: .*denied access/),
    ]);
  });

  it('finds every problem of the repositories, and names each fix', async () => {
    const keys = { odd: 'default_branch = "develop"' };
    const repos = FAULTY.map(([id, repo]) => renderRepo(id, repo, id === 'odd' ? keys.odd : ''));
    plant('repos.toml', { repos: repos.join('') });
    const { code, output } = await run(['doctor', '--json'], 'repos.toml', token());
    const checks: Finding[] = JSON.parse(output).checks;
    const told = checks.filter(({ status }) => status !== 'ok');
    for (const [, , check, complaint] of FAULTY) {
      const lines = told.filter(({ name }) => name === check).map(show);
      expect(lines).toContainEqual(expect.stringMatching(complaint));
    }
    expect(told.filter(({ name }) => FAULTY.some(([, , check]) => check === name))).toHaveLength(
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
    plant('people.toml', { repos: `${main}${bare}` });
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
    const asked = twin.history
      .list('request')
      .filter(({ seq }) => seq > before)
      .flatMap((entry) => ('path' in entry && entry.path.startsWith('/users/') ? [entry.path] : []));
    expect(asked.sort()).toEqual(['/users/acme', '/users/alcie', '/users/critic', '/users/nobody']);
  });

  it('warns if GitHub does not answer whether a login exists', async () => {
    plant('unsure.toml', { repos: renderRepo('main', REPO, 'allowed_users = ["critic"]') });
    twin.control.fault({ kind: 'error', status: 503, route: 'GET /users/{username}', times: 1 });
    const { output } = await run(['doctor', '--json'], 'unsure.toml', token());
    const checks: Finding[] = JSON.parse(output).checks;
    expect(checks.filter(({ name }) => name === 'people').map(show)).toEqual([
      expect.stringMatching(
        /warning.*could not check these logins: critic \(503\).*Run `npx mergexo doctor` again/,
      ),
    ]);
  });

  it('reports how required tests run', async () => {
    plant('tests.toml', { repos: renderRepo('main', REPO, 'required_tests = "test.sh"') });
    const { output } = await run(['doctor', '--json'], 'tests.toml', token());
    const detail = 'required_tests of alice/app; not confined, as configured';
    expect(JSON.parse(output).checks).toContainEqual({ name: 'tests', status: 'ok', detail });
  });

  it.each<Fault>([
    {
      what: 'no login',
      check: 'login',
      token: () => '',
      complaint: /failure.*Set GITHUB_TOKEN.*gh auth login/,
    },
    {
      what: 'an expired token',
      check: 'login',
      login: 'late',
      complaint: /failure.*rejects the token.*Create a new token/,
    },
    {
      what: 'a token without the scope repo',
      check: 'scopes',
      token: () => twin.control.addToken('robot', ['public_repo']).secret,
      complaint: /failure.*gh auth refresh -s repo/,
    },
    {
      what: 'a token without the scope workflow',
      check: 'scopes',
      token: () => twin.control.addToken('robot', ['repo']).secret,
      complaint: /warning.*-s workflow/,
    },
    {
      what: 'an unreachable API',
      check: 'github',
      place: () => ({ apiUrl: closedApi }),
      complaint: /failure.*does not answer.*ECONNREFUSED.*github\.api_url/,
    },
    {
      what: 'an address without the API',
      check: 'github',
      place: () => ({ apiUrl: `${twin.apiUrl}/api/v4` }),
      complaint: /failure.*answers with 404.*Correct github\.api_url/,
    },
    {
      what: 'a GitHub outage',
      check: 'github',
      login: 'unlucky',
      complaint: /failure.*503.*githubstatus/,
    },
    {
      what: 'an exhausted rate limit',
      check: 'github',
      login: 'busy',
      complaint: /failure.*used up.*Wait until 2/,
    },
    {
      what: 'a slow clock',
      check: 'clock',
      token: () => later.tokens['robot'] ?? '',
      place: () => ({ apiUrl: later.apiUrl }),
      complaint: /warning.*1(19|2\d) s behind.*time synchronisation/,
    },
    {
      what: 'a missing agent',
      check: 'command',
      place: () => ({ argv: '/nonexistent/agent', apiUrl: closedApi }),
      complaint: /failure.*\/nonexistent\/agent does not exist.*Correct `argv` in \[command\]/,
    },
    {
      what: 'an agent with a relative path',
      check: 'config',
      place: () => ({ argv: './agent.sh' }),
      complaint: /failure.*command\.argv\[0\]: got ..\.\/agent\.sh.*relative path.*checkout.*absolute path/,
    },
    {
      what: 'a script with a relative path',
      check: 'command',
      place: () => ({ argv: 'sh", "./agent.sh', apiUrl: closedApi }),
      complaint: /failure.*\.\/agent\.sh is a relative path.*Write the absolute path of \.\/agent\.sh/,
    },
  ])('finds $what and names the fix', async ({ check, complaint, login, token: make, place }) => {
    const secret = make?.() ?? token(login);
    plant('fault.toml', place?.());
    const { output } = await run(['doctor', '--json'], 'fault.toml', secret);
    const checks: Finding[] = JSON.parse(output).checks;
    const found = checks.filter(({ name, status }) => name === check && status !== 'ok');
    expect(found.map(show)).toEqual([expect.stringMatching(complaint)]);
    if (secret !== '') expect(output).not.toContain(secret);
  });
});

function show({ status, detail, fix }: Finding): string {
  return JSON.stringify([status, detail, fix]);
}
