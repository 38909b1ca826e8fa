import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Person, startTwin, type Twin } from '@mergexo/github-twin';
import { createTemporaryDirectory, eventually, GiveUpWhen, onlyWith } from '@mergexo/testkit';
import { z } from 'zod';
import { missingBrowser } from '../browser/browser.js';
import { type ProcessTree, watchProcessTree } from '../browser/process-tree.js';
import { listCommands } from '../browser/readme-commands.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const AGENT = join(ROOT, 'tests/dist/fleet/scripted-agent.js');
const REPO = 'your-login/your-repo';
const RUN_LIMIT_MS = 200_000;
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(read('package.json')));
/** Pages that newcomers, users and contributors read first. */
const PAGES = ['README.md', 'docs/usage.md', 'CONTRIBUTING.md'];
const COMMANDS = [...new Set(PAGES.flatMap((page) => listCommands(read(page), Object.keys(scripts))))];

/** Commands that CI or another test runs. `snippet` is the text in `file` that runs the command. */
const ELSEWHERE: Readonly<Record<string, { file: string; snippet: string }>> = {
  'npm ci': { file: '.ci/run', snippet: "'npm ci && npm run demo'" },
  'npm test': { file: '.ci/run', snippet: "'npm ci && npm test'" },
  'npm run test:compose': {
    file: '.github/workflows/compose.yml',
    snippet: 'npm run test:compose -- --require',
  },
  'npm run demo': { file: '.ci/run', snippet: "'npm ci && npm run demo'" },
  'npm run build': { file: '.ci/run', snippet: 'npm run --silent build' },
  'npm run lint': { file: '.ci/run', snippet: '\nnpm run lint\n' },
  'npm run types': { file: '.ci/run', snippet: '\nnpm run types\n' },
  'npm run docs:check': { file: '.github/workflows/docs.yml', snippet: 'run: npm run docs:check' },
  'npx mergexo --help': { file: 'tests/docs.test.ts', snippet: "[CLI, ...command, '--help']" },
  'npm run check': { file: '.ci/run', snippet: '\nnpm run lint\nnpm run types\n' },
  'npx mergexo eval --max-cases 5 --max-cost-usd 10': {
    file: 'tests/walks/eval.test.ts',
    snippet: "evaluation.measure('--max-cases', '1', '--max-cost-usd', '0')",
  },
  'npm run test:walks': { file: '.ci/run', snippet: 'npm run test:walks' },
  'npm run test:crashes': { file: '.ci/run', snippet: 'npm run test:crashes' },
  'npm run test:security': { file: '.ci/run', snippet: 'npm run test:security' },
  'npm run pack:cli': { file: '.ci/run', snippet: 'npm run --silent pack:cli' },
  'npm run pack:cli -- --out DIR': { file: '.ci/run', snippet: 'npm run --silent pack:cli -- --out' },
  'npm install -g ./mergexo-0.1.0.tgz': {
    file: '.ci/run',
    snippet: 'npm install --silent --no-audit --no-fund "$@" "$tarball"',
  },
  'npm run test:agents': { file: '.ci/run', snippet: 'npm run test:agents' },
  'npm run bench:queue': { file: '.ci/run', snippet: 'npm run --silent bench:queue' },
  'npm run bench:start': { file: '.ci/run', snippet: 'npm run --silent bench:start' },
  'npm run search': { file: '.ci/run', snippet: 'npm run --silent search -- --seed 1' },
  'npm run search -- --minutes 30 --jobs 2 --seed 7': {
    file: '.github/workflows/nightly.yml',
    snippet: 'npm run search -- ',
  },
  'npm run search:mutants': {
    file: '.github/workflows/nightly.yml',
    snippet: 'npm run search:mutants -- ',
  },
  'npm run bench:git': { file: '.ci/run', snippet: 'npm run --silent bench:git' },
  'npx mergexo pause': { file: 'tests/walks/steer-walk.test.ts', snippet: "mergexo('pause'" },
  'npx mergexo resume': { file: 'tests/walks/steer-walk.test.ts', snippet: "mergexo('resume')" },
  'npx mergexo cancel 42': {
    file: 'tests/walks/steer-walk.test.ts',
    snippet: "mergexo('cancel', String(issue))",
  },
  'npm run release -- 0.2.0': { file: 'tests/release.test.ts', snippet: "release('99.0.0', '--skip-checks'" },
  'npx mergexo service install': {
    file: 'apps/cli/src/commands/service/service.test.ts',
    snippet: 'run(installService)',
  },
  'npx mergexo webhook test': {
    file: 'apps/cli/src/commands/channels/webhook-test.test.ts',
    snippet: 'testWebhook(context, { url })',
  },
  'npx mergexo retry 42': { file: 'tests/walks/cli-operator.test.ts', snippet: "['retry', '7']" },
  'npx mergexo unblock 42': { file: 'tests/walks/cli-operator.test.ts', snippet: "['unblock', '107']" },
  'npx mergexo skip-review 43': {
    file: 'tests/walks/cli-operator.test.ts',
    snippet: "mergexo('skip-review', '7'",
  },
  'npx mergexo logs 42 -f': { file: 'tests/walks/logs-walk.test.ts', snippet: "['logs', ...args" },
  'npx mergexo cost --by day': {
    file: 'apps/cli/src/commands/data/cost.test.ts',
    snippet: 'cost(createContext(',
  },
  'npx mergexo open 42': {
    file: 'apps/cli/src/commands/open.test.ts',
    snippet: 'await open(context, number',
  },
  'npx mergexo notify test': {
    file: 'apps/cli/src/commands/channels/notify-test.test.ts',
    snippet: "describe('notify test'",
  },
  'npx mergexo health --role worker': {
    file: 'apps/cli/src/commands/diagnose/health.test.ts',
    snippet: "await check('worker')",
  },
  'npx mergexo config check': {
    file: 'apps/cli/src/commands/diagnose/config-check.test.ts',
    snippet: 'checkConfigFile(createContext(',
  },
  'npx mergexo backup': { file: 'apps/cli/src/commands/data/backup.test.ts', snippet: 'backup(context(), ' },
  'npx mergexo restore <directory>': {
    file: 'apps/cli/src/commands/data/backup.test.ts',
    snippet: 'await restore(context(), ',
  },
  'npx mergexo journal export': {
    file: 'tests/journal/journal.walk.test.ts',
    snippet: "[CLI, 'journal', 'export', ",
  },
  'npx mergexo uninstall': {
    file: 'apps/cli/src/commands/data/uninstall.test.ts',
    snippet: 'await uninstall(context, options)',
  },
  'npx mergexo completion bash': { file: 'apps/cli/src/commands/completion.test.ts', snippet: 'bash' },
};

/** Commands that no test runs, with the reason. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'docker compose up':
    'needs a container engine; tests/containers starts the same programs without one, and npm run test:compose with one',
  'gh auth login': 'logs a person in to GitHub; the tests use a token from the twin instead',
  'npm run format': 'changes source files; npm run lint checks the same rules',
  'npm test -- packages/core/src/turns': 'npm test runs these tests too',
  'npm run test:mutants -- packages/core/src/turns': 'installs StrykerJS and takes minutes; runs every night',
  'npm run test:security:mutants':
    'takes 30 minutes; tests/security-promises checks that each mutant applies',
  'npm run chaos:pairs -- --minutes 30':
    'takes half an hour, and runs every night; tests/crashes covers single failpoints',
  'npm run journal:replay -- case.jsonl':
    'needs the journal of an installation; tests/journal replays a journal',
  'npm run bench:scheduler': 'prints measurements and asserts nothing',
  'npm run bench:dashboard': 'prints measurements and asserts nothing',
  'npm run bench:agents': 'takes minutes, prints measurements and asserts nothing',
  'npm run bench:network': 'takes half an hour and prints measurements; tests/network tests its parts',
};

type CommandChanges = { append?: string; replace?: readonly [string, string] };
/** `output` combines both streams, because npm adds its own warnings to standard error. */
type Result = { code: number | null; stdout: string; output: string };
type Started = {
  child: ChildProcess;
  output(): string;
  until(text: string): Promise<void>;
  /** Signals the process group, as Ctrl-C does, and returns the exit code. npm also forwards the signal, so the program receives it twice. */
  end(): Promise<number | null>;
};

/** Runs the commands on PAGES against the GitHub twin, except those in ELSEWHERE and NOT_RUN. */
describe('commands in the README, the usage page and the contribution guide', () => {
  const executed = new Set<string>();
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let twin: Twin;
  let owner: Person;
  let config: string;
  let env: NodeJS.ProcessEnv;
  const processTrees: ProcessTree[] = [];

  beforeAll(async () => {
    directory = createTemporaryDirectory();
    config = join(directory.path, 'mergexo.toml');
    twin = await startTwin({
      seed: {
        users: [{ login: 'your-login' }, { login: 'robot' }],
        repos: [{ name: REPO, permissions: { robot: 'write' }, files: { 'README.md': '# app\n' } }],
      },
      limits: { pointsPerMinute: 100_000, contentPerMinute: 10_000, contentPerHour: 10_000 },
    });
    owner = twin.as('your-login');
    const { NODE_OPTIONS: _jestOptions, ...inherited } = process.env;
    env = {
      ...inherited,
      HOME: directory.path,
      MERGEXO_CONFIG: config,
      MERGEXO_REDIS_URL: '',
      GITHUB_TOKEN: twin.tokens['robot'],
      npm_config_update_notifier: 'false',
    };
  });
  afterEach(() => {
    for (const row of processTrees.flatMap((processTree) => processTree.listSurvivors()))
      process.kill(Number.parseInt(row, 10), 'SIGKILL');
  });
  afterAll(async () => {
    await twin?.stop();
    directory?.remove();
  });

  /** Returns the page's command as shell arguments, with the changes that a test needs. */
  const toShellArgs = (command: string, changes: CommandChanges): string[] => {
    expect(COMMANDS).toContain(command);
    executed.add(command);
    const [from = '', to = ''] = changes.replace ?? [];
    return ['-c', `exec ${command.replace(from, to)} ${changes.append ?? ''}`];
  };
  const run = (command: string, changes: CommandChanges = {}): Promise<Result> =>
    new Promise((resolve) => {
      const options = { cwd: ROOT, env, timeout: RUN_LIMIT_MS };
      const child = execFile('sh', toShellArgs(command, changes), options, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode, stdout, output: stdout + stderr }),
      );
    });
  const start = (command: string): Started => {
    const child = spawn('sh', toShellArgs(command, {}), { cwd: ROOT, env, detached: true });
    const processTree = watchProcessTree(child.pid ?? 0);
    processTrees.push(processTree);
    const chunks: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => chunks.push(String(chunk)));
    const closed = once(child, 'close');
    const output = (): string => chunks.join('');
    return {
      child,
      output,
      until: (text) =>
        eventually(() => {
          processTree.record();
          if (output().includes(text)) return;
          throw new GiveUpWhen(child.exitCode !== null, `no "${text}" yet:\n${output()}`);
        }, 60_000),
      async end() {
        processTree.record();
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
        await closed;
        await eventually(() => expect(processTree.listSurvivors()).toEqual([]));
        return child.exitCode;
      },
    };
  };
  const ok = async (command: string, changes: CommandChanges = {}): Promise<string> => {
    const { code, output } = await run(command, changes);
    if (code !== 0) throw new Error(`${command} exited with ${code}:\n${output}`);
    return output;
  };
  const set = (key: string, value: string): void => {
    const text = readFileSync(config, 'utf8');
    const changed = text.replace(new RegExp(`^(# )?${key} = .*$`, 'm'), `${key} = ${value}`);
    expect(changed).not.toBe(text);
    writeFileSync(config, changed);
  };
  const fetchList = async (path: string): Promise<{ body: string; head: { ref: string } }[]> => {
    const rows = await owner.request('GET', `/repos/${REPO}/${path}`);
    return Array.isArray(rows) ? rows : [];
  };
  const countAnswers = async (): Promise<number> =>
    (await fetchList('issues/2/comments')).filter(({ body }) => body.startsWith('Answer to')).length;
  const untilAnswered = (count: number): Promise<void> =>
    eventually(async () => expect(await countAnswers()).toBe(count), 60_000);
  const untilBlocked = (): Promise<void> =>
    eventually(async () => {
      const { output } = await run('npx mergexo feedback blocked list');
      expect(output).toContain('history_rewritten');
    }, 60_000);
  const rewrite = async (file: string): Promise<string> => {
    const [pull] = await fetchList('pulls');
    return owner.forcePush(REPO, pull?.head.ref ?? '', { [file]: 'squashed\n' });
  };

  it('set up MergeXO on one machine', async () => {
    const offline = `--api-url ${twin.apiUrl} --agent command --command ${process.execPath} ${AGENT}`;
    expect(await ok('npx mergexo init --repo your-login/your-repo --labels', { append: offline })).toContain(
      'agent:bugfix',
    );
    set('poll_interval_seconds', '0.3');
    set('visibility_window_seconds', '1');
    set('write_spacing_seconds', '0');
    set('feedback_debounce_seconds', '0.1');
    set('drain_grace_seconds', '1');
    set('sandbox', '"none"');
    set('port', '0');
    expect(await ok('npx mergexo doctor')).toContain('Ready.');
    expect(await ok('npx mergexo worker-key build-2')).toContain('build-2:');
    expect(await ok('npx mergexo service print')).toMatch(/ExecStart=|<plist/);
  });

  it('run MergeXO, inspect it and unblock a pull request', async () => {
    const up = start('npx mergexo up');
    await up.until('dashboard  ready: http://127.0.0.1:');
    await owner.openIssue(REPO, { title: 'Login broken', body: '{}', labels: ['agent:bugfix'] });
    await up.until(`${REPO}#1 (PR #2)`);
    expect(await ok('npx mergexo status')).toContain(`${REPO}#1`);
    const unknown = await run('npx mergexo explain 42', {});
    expect([unknown.code, unknown.output]).toEqual([1, expect.stringContaining('agent:bugfix')]);
    expect(await ok('npx mergexo explain 2')).toContain('bugfix: awaiting_feedback, pull request #2');

    const rewritten = await rewrite('fix.txt');
    await owner.comment(REPO, 2, 'Please name the file after the issue.');
    await untilBlocked();
    const list = await run('npx mergexo feedback blocked list --json');
    const { blocked } = JSON.parse(list.stdout);
    expect(blocked).toMatchObject([{ pr: 2, issue: 1, head_sha: rewritten, unanswered_comments: 1 }]);
    const [reset = ''] = COMMANDS.filter((command) => command.includes('--head-sha'));
    const [, shown = ''] = /--head-sha (\w+)/.exec(reset) ?? [];
    expect(await ok(reset, { replace: [shown, rewritten] })).toContain('accepted head');
    await untilAnswered(1);
    await up.end();
    expect(up.output()).toContain('all processes stopped');
  });

  it('run the programs one by one, stop them with Ctrl-C, and finish the remaining work with --once', async () => {
    const poller = start('npm run poller');
    await poller.until('poller is ready');
    const worker = start('npm run worker');
    const dashboard = start('npm run dashboard');
    await Promise.all([worker.until('worker is ready'), dashboard.until('"url":"http://127.0.0.1:')]);
    await owner.comment(REPO, 2, 'Say why.');
    await untilAnswered(2);
    await rewrite('other.txt');
    await owner.comment(REPO, 2, 'And now?');
    await untilBlocked();
    expect(await worker.end()).toBe(0);
    expect(await Promise.all([poller.end(), dashboard.end()])).toEqual([0, 0]);

    expect(await ok('npx mergexo feedback blocked reset --pr 2')).toContain('Unblocked');
    expect(await ok('npx mergexo run --once')).toContain('Done. No work is left.');
    expect(await ok('npx mergexo run --once --verbose')).toContain('Done. No work is left.');
    expect(twin.control.violations()).toEqual([]);
  });

  it('start the GitHub twin', async () => {
    const offline = start('npm run twin');
    await offline.until('ready');
    await offline.end();
  });

  it('run the chaos test with random schedules', async () => {
    expect(await ok('npm run chaos -- --seed 7 --runs 500', { append: '--runs 2' })).toContain(
      'passed: 2 schedules',
    );
    expect(await ok('npm run chaos:ledger', { append: '-- --runs 2' })).toContain('passed: 2 schedules');
  });

  onlyWith(missingBrowser).it(
    'take screenshots that are small enough to commit',
    async () => {
      const images = join(directory.path, 'images');
      env = { ...env, MERGEXO_IMAGES: images, TMPDIR: directory.path };
      await ok('npm run screenshots');
      const kept = readdirSync(join(ROOT, 'docs/images'))
        .filter((name) => name.endsWith('.png'))
        .sort();
      expect(readdirSync(images).sort()).toEqual(kept);
      for (const name of kept) expect(statSync(join(ROOT, 'docs/images', name)).size).toBeLessThan(150_000);
    },
    240_000,
  );

  it('are all run by a test, or listed with the reason why no test runs them', () => {
    const known = [...executed, ...Object.keys(ELSEWHERE), ...Object.keys(NOT_RUN)];
    if (missingBrowser !== undefined) known.push('npm run screenshots');
    expect(COMMANDS.filter((command) => !known.includes(command))).toEqual([]);
    expect(known.filter((command) => !COMMANDS.includes(command))).toEqual([]);
    for (const [command, { file, snippet }] of Object.entries(ELSEWHERE))
      expect([command, file, read(file).includes(snippet)]).toEqual([command, file, true]);
  });

  it('are recognized in code spans and code blocks', () => {
    const page =
      'a `npm run\nx`, `chaos:y`, `no:script` and `/mergexo up`\n```sh\nnpx a --b && npm c  # why\n\n```\n```\n$ mergexo d\nout\n```\n';
    expect(listCommands(page, ['chaos:y', 'x'])).toEqual([
      'npx a --b',
      'npm c',
      'mergexo d',
      'npm run x',
      'npm run chaos:y',
    ]);
  });
});
