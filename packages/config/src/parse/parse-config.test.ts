import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { stringify } from 'smol-toml';
import { allSections } from '../sections/all-sections.js';
import { toTomlKey } from '../values/to-toml-key.js';
import { ConfigError } from './config-error.js';
import { parseConfig } from './parse-config.js';

const REPO = '[repo.main]\nowner = "octo-org"\nname = "hello-world"\n';
const options = { homeDir: '/home/ada' };

function complaintOf(text: string): ConfigError {
  try {
    parseConfig(text, options);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('the config was accepted');
}

function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen);
}

describe('parseConfig', () => {
  it('requires only a repository, and fills in every default', () => {
    const config = parseConfig(REPO, options);
    expect(config).toMatchObject({
      runtime: { baseDir: '/home/ada/.local/share/mergexo', workerCount: 2, pollIntervalSeconds: 30 },
      github: { apiUrl: 'https://api.github.com' },
      agent: {
        adapter: 'codex',
        timeoutSeconds: 600,
        silenceSeconds: 300,
        requiredTestsTimeoutSeconds: 600,
        requiredTestsSandbox: 'auto',
      },
      limits: { maxConcurrentImplementations: 2 },
      review: { enabled: true, maxFixCycles: 2 },
    });
    expect(config.scheduler.stalenessPenalty).toBeLessThan(0);
    expect(config.redis.url).toBeUndefined();
    expect(config.repos).toEqual([
      {
        id: 'main',
        owner: 'octo-org',
        name: 'hello-world',
        fullName: 'octo-org/hello-world',
        defaultBranch: 'main',
        remoteUrl: 'https://github.com/octo-org/hello-world.git',
        labels: {
          design: 'agent:design',
          bugfix: 'agent:bugfix',
          smallJob: 'agent:small-job',
          ignore: 'agent:ignore',
        },
        designDocsDir: 'docs/design',
        allowedUsers: ['octo-org'],
        operatorLogins: ['octo-org'],
        setup: undefined,
        signs: { reactions: true, statusComment: true },
        requiredTests: undefined,
        testFileRegex: undefined,
        codingGuidelinesPath: undefined,
        ciPolicy: 'all_complete',
        autoUpdate: false,
        showCost: false,
        enableFeedbackLoop: true,
        enableIssueCommentRouting: true,
        reviewEnabled: true,
        review: {
          maxFixCycles: 2,
          blockingSeverity: 'high',
          maxFindings: 10,
          escalationLabel: 'agent:human-review',
          verify: true,
        },
        agent: { adapter: 'codex', model: undefined, fallback: [] },
        reviewAgent: { adapter: 'codex', model: undefined, fallback: [] },
      },
    ]);
  });

  it('lets a repository override values of other sections', () => {
    const config = parseConfig(
      `[runtime]\nenable_feedback_loop = false\n[review]\nagent = "codex"\n[codex]\nmodel = "c"\n[claude]\nmodel = "s"\n
      ${REPO}enable_feedback_loop = true\nreview_enabled = false\nreview_verify = false\nagent_adapter = "claude"\nallowed_users = ["ada", "bob"]
      [repo.other]\nowner = "octo-org"\nname = "other"\nagent_model = "o"\noperator_logins = ["ada"]`,
      options,
    );
    expect(config.repos[0]).toMatchObject({
      enableFeedbackLoop: true,
      reviewEnabled: false,
      review: { verify: false },
      operatorLogins: ['ada', 'bob'],
      agent: { adapter: 'claude', model: 's' },
      reviewAgent: { adapter: 'codex', model: 'c' },
    });
    expect(config.repos[1]).toMatchObject({
      enableFeedbackLoop: false,
      reviewEnabled: true,
      allowedUsers: ['octo-org'],
      operatorLogins: ['ada'],
      agent: { adapter: 'codex', model: 'o' },
      reviewAgent: { adapter: 'codex', model: 'o' },
    });
  });

  it('gives each fallback the model of its own section, and never makes an agent its own fallback', () => {
    const config = parseConfig(
      `[agent]\nadapter = "command"\nfallback = ["claude", "codex"]\n[review]\nagent = "claude"\n[claude]\nmodel = "s"\n[command]\nargv = ["agent"]\n
      ${REPO}agent_adapter = "codex"\nagent_model = "o"
      [repo.other]\nowner = "octo-org"\nname = "other"\nagent_fallback = []
      [repo.third]\nowner = "octo-org"\nname = "third"`,
      options,
    );
    const claude = { adapter: 'claude', model: 's' };
    const codex = { adapter: 'codex', model: undefined };
    expect(config.repos.map(({ agent, reviewAgent }) => [agent, reviewAgent])).toEqual([
      [
        { adapter: 'codex', model: 'o', fallback: [claude] },
        { ...claude, fallback: [codex] },
      ],
      [
        { adapter: 'command', model: undefined, fallback: [] },
        { ...claude, fallback: [] },
      ],
      [
        { adapter: 'command', model: undefined, fallback: [claude, codex] },
        { ...claude, fallback: [codex] },
      ],
    ]);
  });

  it('expands ~/ only in directories and programs', () => {
    const config = parseConfig(
      `[runtime]\nbase_dir = "~/mx"\n[codex]\nbinary = "~/bin/codex"\n[command]\nargv = ["~/bin/agent", "~/x"]\n${REPO}`,
      { homeDir: '/home/ada/' },
    );
    expect(config.runtime.baseDir).toBe('/home/ada/mx');
    expect(config.codex.binary).toBe('/home/ada/bin/codex');
    expect(config.command.argv).toEqual(['/home/ada/bin/agent', '~/x']);
  });

  it.each([
    ['https://api.github.com/', 'https://github.com/octo-org/hello-world.git'],
    ['https://github.example.com/api/v3', 'https://github.example.com/octo-org/hello-world.git'],
    ['https://api.octo.ghe.com', 'https://octo.ghe.com/octo-org/hello-world.git'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/octo-org/hello-world.git'],
  ])('derives the git remote from %s', (apiUrl, remoteUrl) => {
    const config = parseConfig(`[github]\napi_url = "${apiUrl}"\n${REPO}`, options);
    expect(config.repos[0]?.remoteUrl).toBe(remoteUrl);
  });

  it.each([
    'http://127.0.0.1:3000',
    'http://localhost:3000',
    'http://[::1]:3000',
    'http://twin.localhost',
    'http://127.1',
  ])('accepts short intervals and local remotes for %s', (apiUrl) => {
    const text = `[runtime]\npoll_interval_seconds = 0.05\nvisibility_window_seconds = 0.5\nwrite_spacing_seconds = 0
        [github]\napi_url = "${apiUrl}"\n${REPO}remote_url = "file:///srv/hello.git"`;
    expect(parseConfig(text, options).runtime.pollIntervalSeconds).toBe(0.05);
  });

  it('accepts names, suffixes and addresses as allowed hosts', () => {
    const hosts = [
      'localhost:3000',
      'Example.com',
      '*.npmjs.org',
      'cache.corp:8443',
      '10.0.0.7:80',
      '[::1]:80',
    ];
    const text = `[sandbox]\nrequired_tests_network = "allow-list"\nallowed_hosts = ${JSON.stringify(hosts)}`;
    const { sandbox } = parseConfig(`${text}\n${REPO}`, { homeDir: '/home/ada' });
    expect(sandbox).toMatchObject({ requiredTestsNetwork: 'allow-list', allowedHosts: hosts });
  });

  it('accepts a Redis on another host with a password in the environment or allow_insecure', () => {
    const redis = '[redis]\nurl = "rediss://queue@redis.example.com:6380/1"\n';
    expect(parseConfig(redis + REPO, { ...options, redisPasswordGiven: true }).redis.url).toContain(
      'redis.example',
    );
    expect(parseConfig(`${redis}allow_insecure = true\n${REPO}`, options).redis.allowInsecure).toBe(true);
    expect(parseConfig(`[redis]\nurl = "redis://127.0.0.1"\n${REPO}`, options).redis.url).toBe(
      'redis://127.0.0.1',
    );
  });

  it('does not mistake token limits or ordinary words for secrets', () => {
    const text = `[limits]\nmax_tokens_per_run = 5\nmax_tokens_per_day = 5\n${REPO}design_docs_dir = "docs/token-secret-password"`;
    expect(parseConfig(text, options).limits.maxTokensPerRun).toBe(5);
  });

  it('reports the problems in all sections at once', () => {
    const { problems, message } = complaintOf(`
      [runtime]\nworker_count = "two"\npoll_interval_seconds = 1
      [github]\ntoken = "abc"
      [agent]\nsilence_seconds = 900\nsession_mod = "resume"
      [repo.a]\nowner = "octo"\nbugfix_label = "agent:design"
      [repo.b]\nowner = "octo"\nname = "x"\n[repo.c]\nowner = "octo"\nname = "X"`);
    expect(problems.map(({ path }) => path)).toEqual([
      'runtime.worker_count',
      'github.token',
      'agent.session_mod',
      'repo.a.name',
      'runtime.poll_interval_seconds',
      'agent.silence_seconds',
      'repo.c',
      'repo.a.bugfix_label',
    ]);
    expect(message.split('\n')).toHaveLength(9);
    expect(message).toContain('mergexo.toml has 8 problems:\n  runtime.worker_count: got "two", expected ');
  });

  it.each([
    ['a bad value', '[agent]\ntimeout_seconds = "long"\nsilence_seconds = 900', 'agent.timeout_seconds'],
    ['a misspelled key', '[agent]\ntimeout_second = 1200\nsilence_seconds = 900', 'agent.timeout_second'],
    ['a bad address', '[runtime]\npoll_interval_seconds = 1\n[github]\napi_url = 5', 'github.api_url'],
    ['a secret', '[redis]\nurl = "redis://a:hunter2@redis.example.com"', 'redis.url'],
  ])('reports no second problem about the fallback value that replaces %s', (_title, text, path) => {
    expect(complaintOf(`${text}\n${REPO}`).problems.map((problem) => problem.path)).toEqual([path]);
  });

  it('names the file in its message', () => {
    expect(() => parseConfig('', { ...options, sourceName: '/etc/mergexo.toml' })).toThrow(
      /^\/etc\/mergexo\.toml has 1 problem:\n {2}repo: missing/,
    );
  });

  it('reads a file with a byte order mark and Windows line endings', () => {
    expect(parseConfig(`\uFEFF${REPO.replaceAll('\n', '\r\n')}`, options).repos).toHaveLength(1);
  });

  it('reports keys nested a hundred thousand levels deep as one problem', () => {
    expect(complaintOf(`${'a.'.repeat(100_000)}a = 1\n${REPO}`).problems).toHaveLength(1);
  });

  it('reads no environment variable', () => {
    const sources = ['parse-config.ts', '../read-config.ts', 'resolve-config.ts'];
    for (const name of sources) {
      expect(readFileSync(new URL(name, import.meta.url), 'utf8')).not.toContain('process.');
    }
  });
});

const keys = allSections.flatMap(({ shape }) => Object.keys(shape).map(toTomlKey));
const value = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '~/x',
    'codex',
    'claude',
    'redis://h',
    'https://a:b@c',
    'agent:design',
    '__proto__',
    'ghp_abcdefghijkl',
  ),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.date({ noInvalidDate: true }),
  fc.array(fc.string(), { maxLength: 3 }),
  fc.constant({ nested: { a: 1 } }),
);
const table = fc.dictionary(
  fc.oneof(fc.constantFrom(...keys), fc.string(), fc.constant('__proto__')),
  value,
  {
    maxKeys: 8,
    noNullPrototype: true,
  },
);
const names = allSections.map(({ title }) => title.replace('.<id>', ''));
const file = fc.dictionary(
  fc.oneof(fc.constantFrom(...names), fc.string()),
  fc.oneof(
    table,
    value,
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('main', 'constructor')), table, { maxKeys: 3 }),
  ),
  { maxKeys: 12 },
);

describe('any file content', () => {
  it('is accepted and deeply frozen, or rejected with a ConfigError that lists each problem', () => {
    fc.assert(
      fc.property(file, (content) => {
        const text = stringify(content);
        try {
          expect(isDeeplyFrozen(parseConfig(text + REPO.replace('main', 'property-test'), options))).toBe(
            true,
          );
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error;
          expect(error.problems.length).toBeGreaterThan(0);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: messages must contain none of these characters
          expect(error.message).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u200b-\u200f\u202a-\u202e]/);
          expect(error.message).not.toContain('ghp_abcdefghijkl');
        }
        expect('polluted' in {} || 'a' in {}).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('throws only a ConfigError, even for text that is not TOML', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(complaintOf(text)).toBeInstanceOf(ConfigError);
      }),
      { numRuns: 500 },
    );
  });

  it('accepts and keeps every number within the documented bounds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 5, max: 3600 }), (workers, seconds) => {
        const text = `[runtime]\nworker_count = ${workers}\npoll_interval_seconds = ${seconds}\n${REPO}`;
        const { runtime, limits } = parseConfig(text, options);
        expect([runtime.workerCount, runtime.pollIntervalSeconds]).toEqual([workers, seconds]);
        expect(limits.maxConcurrentImplementations).toBe(workers);
      }),
    );
  });
});

it('returns an immutable object', () => {
  const config = parseConfig(`${REPO}allowed_users = ["ada"]`, options);
  expect(isDeeplyFrozen(config)).toBe(true);
  expect(() => Object.assign(config.runtime, { workerCount: 9 })).toThrow(TypeError);
});

describe('prices', () => {
  const parse = (text: string) =>
    parseConfig(`${text}\n[repo.a]\nowner = "o"\nname = "n"\n`, { homeDir: '/home/ada' });

  it('are a list of models', () => {
    const text =
      '[prices."gpt-5"]\ninput = 1.25\ncached_input = 0.125\noutput = 10\n[prices.x]\ninput = 0\noutput = 1';
    expect(parse(text).prices).toEqual([
      { model: 'gpt-5', input: 1.25, cachedInput: 0.125, output: 10 },
      { model: 'x', input: 0, cachedInput: undefined, output: 1 },
    ]);
    expect(parse('').prices).toEqual([]);
  });

  it.each([
    ['prices = 3', /prices: got 3, expected a table per model/],
    ['[prices."a b"]\ninput = 1\noutput = 1', /prices\."a b": invalid model name/],
    ['[prices.m]\ninput = 1', /prices\.m\.output: missing/],
    ['[prices.m]\ninput = -1\noutput = 1', /prices\.m\.input: got -1/],
    ['[prices.m]\ninput = 1\noutput = 1\nextra = 1', /prices\.m\.extra: unknown key/],
  ])('are refused in %j', (text, reason) => {
    expect(() => parse(text)).toThrow(reason);
  });
});
