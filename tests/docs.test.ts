import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMMAND_KINDS, COMMAND_TRAITS } from '@mergexo/core/commands';
import { renderRedirect, renderWaitComment } from '@mergexo/core/outbox';
import { z } from 'zod';
import { githubSlug } from '../site/src/github-slug.js';
import { listPages } from './docs/list-pages.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CLI = 'apps/cli/bin/mergexo.js';
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const FENCE = /^ *```[^\n]*\n[\s\S]*?^ *```/gm;
const LINK = /\[(?:[^\][]|\[[^\]]*\])*\]\(([^)\s]+)\)/g;
const withoutCode = (text: string): string => text.replace(FENCE, '').replace(/`[^`]*`/g, '');

/** Lists the anchors of a page. As on GitHub, repeated headings get numbers. */
function listAnchors(text: string): string[] {
  const seen = new Map<string, number>();
  return [...text.replace(FENCE, '').matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
    const slug = githubSlug(heading);
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
}

function findBrokenLinks(page: string, text: string): string[] {
  const targets = [...withoutCode(text).matchAll(LINK)].map(([, target = '']) => target);
  return targets
    .filter((target) => !/^https?:/.test(target))
    .filter((target) => {
      const [path = '', anchor] = target.split('#', 2);
      const file = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(ROOT, file))) return true;
      const there = path === '' ? text : anchor === undefined ? '' : read(file);
      return anchor !== undefined && !listAnchors(there).includes(anchor);
    })
    .map((target) => `${page}: ${target}`);
}

/** Lists the parts of a page that a reader could copy: code spans and code blocks. */
const codeOf = (text: string): string[] =>
  [...text.matchAll(FENCE), ...text.replace(FENCE, '').matchAll(/`[^`]+`/g)].map(([code]) => code);

function findMissingScripts(page: string, text: string): string[] {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(read('package.json')));
  return [...text.matchAll(/npm run\s+(?:--silent\s+)?([a-z][\w:-]*)/g)]
    .filter(([, name = '']) => !(name in scripts))
    .map(([command]) => `${page}: ${command}`);
}

type Commands = Map<string, Commands>;

function readHelp(command: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...command, '--help'], { cwd: ROOT }, (_error, stdout) =>
      resolve(stdout),
    );
  });
}

/** Reads the commands from `--help`, so that no page can name a command that does not exist. */
async function readCommands(...names: string[]): Promise<Commands> {
  const help = await readHelp(names);
  const [, list = ''] = help.split('\nCommands:\n');
  const entries = [...list.matchAll(/^ {2}([a-z][\w-]*)(.*)$/gm)].filter(([, name]) => name !== 'help');
  const read = entries.map(async ([, name = '', rest = '']): Promise<[string, Commands]> => {
    const isLeaf = /^ (\[options\]|<)/.test(rest);
    return [name, isLeaf ? new Map() : await readCommands(...names, name)];
  });
  return new Map(await Promise.all(read));
}

/** Finds unknown commands on a page. Skips `/mergexo …`, which is for GitHub comments. */
function findMissingCommands(page: string, text: string, commands: Commands): string[] {
  const named = codeOf(text).flatMap((code) => [
    ...code.matchAll(/(?<![\w/.-])mergexo((?: [a-z][a-z-]*)+)/g),
  ]);
  return named.flatMap(([whole, path = '']) => {
    let level = commands;
    for (const word of path.trim().split(' ')) {
      if (level.size === 0) break;
      const next = level.get(word);
      if (next === undefined) return [`${page}: ${whole}`];
      level = next;
    }
    return [];
  });
}

const SOURCE = /^(?:apps|packages|tests|docs|examples|site)\/[\w./-]+$/;

function findMissingFiles(page: string, text: string): string[] {
  return [...text.replace(FENCE, '').matchAll(/`([^`\s]+)`/g)]
    .filter(([, path = '']) => SOURCE.test(path) && !path.startsWith('docs/design'))
    .filter(([, path = '']) => !existsSync(join(ROOT, path)))
    .map(([, path]) => `${page}: ${path}`);
}

describe.each(listPages(ROOT))('%s', (page) => {
  const text = read(page);

  it('starts with a title and names its audience', () => {
    const [title = '', ...paragraphs] = text.split(/\n{2,}/);
    expect(title).toMatch(/^# /);
    if (page !== 'README.md')
      expect(paragraphs.slice(0, 2).join(' ').replace(/\s+/g, ' ')).toMatch(/\b(?:For|is for) [a-z]/);
  });

  it('has no broken links', () => {
    expect(findBrokenLinks(page, text)).toEqual([]);
  });

  it('names only scripts and files that exist', () => {
    expect([...findMissingScripts(page, text), ...findMissingFiles(page, text)]).toEqual([]);
  });
});

describe('all pages together', () => {
  it('name only commands that exist', async () => {
    const commands = await readCommands();
    expect([...commands.keys()]).toContain('doctor');
    expect([...(commands.get('feedback')?.get('blocked')?.keys() ?? [])]).toEqual(['list', 'reset']);
    expect(listPages(ROOT).flatMap((page) => findMissingCommands(page, read(page), commands))).toEqual([]);
    const wrong =
      '`mergexo fly`, `mergexo feedback blocked forget` but `/mergexo fly`, `mergexo explain this`';
    expect(findMissingCommands('x', wrong, commands)).toEqual([
      'x: mergexo fly',
      'x: mergexo feedback blocked forget',
    ]);
  });

  it('name every command that people can use in a comment', () => {
    const forms = COMMAND_KINDS.flatMap((kind) => COMMAND_TRAITS[kind].help.map(({ form }) => form));
    const names = forms.map((form) => `/mergexo ${form.split(' ')[0]}`);
    expect(names.filter((name) => !read('docs/usage.md').includes(name))).toEqual([]);
  });

  it('write commands with npx, as readers type them, except in a container', () => {
    const bare = listPages(ROOT).flatMap((page) =>
      codeOf(read(page)).flatMap((code) =>
        [
          ...code.matchAll(/(?<![\w/.@-]|npx |exec (?:poller|worker) |-c poller -- )mergexo (?!is )[a-z]+/g),
        ].map(([command]) => `${page}: ${command}`),
      ),
    );
    expect(bare).toEqual([]);
  });

  it('quote the comments that MergeXO posts before and after the pull request', () => {
    const usage = read('docs/usage.md').replace(/^> ?/gm, '').replace(/\s+/g, ' ');
    const redirect = renderRedirect(
      { number: 2, url: 'https://github.com/you/app/pull/2' },
      'https://github.com/you/app/issues/1#issuecomment-105',
    );
    const wait = renderWaitComment({
      waitKind: 'agent_blocked',
      reason: 'Which version of Postgres?',
      checkpoint: { branch: 'agent/bugfix/1-login-broken', sha: '4f0c…' },
      repoUrl: 'https://github.com/you/app',
      baseBranch: 'main',
    });
    for (const text of [redirect, wait]) expect(usage).toContain(text.replace(/\s+/g, ' '));
    expect(usage).toContain('enable_issue_comment_routing');
  });

  it('include a README of at most 131 lines', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(131);
  });

  it('are all reachable from the README', () => {
    const linked = (page: string): string[] =>
      [...withoutCode(read(page)).matchAll(LINK)]
        .map(([, target = '']) => join(dirname(page), target.split('#')[0] ?? ''))
        .filter((target) => target.endsWith('.md'));
    const seen = new Set(['README.md']);
    for (const page of seen) for (const target of linked(page)) seen.add(target);
    expect(listPages(ROOT).filter((page) => !seen.has(page))).toEqual([]);
  });

  it('name every metric of the dashboard, and no other metrics', () => {
    const source = read('apps/dashboard/src/render-metrics.ts');
    const calls = [...source.matchAll(/\b(?:gauge|counter)\(\s*'(\w+)'/g)].map(
      ([, name]) => `mergexo_${name}`,
    );
    const named = [...source.matchAll(/name: '(mergexo_\w+)'/g)].map(([, name]) => name);
    const documented = [...read('docs/operations.md').matchAll(/\bmergexo_[a-z_]+/g)].map(([name]) => name);
    expect([...new Set(documented)].sort()).toEqual([...calls, ...named].sort());
  });

  it('would fail this test with a broken link or a missing script or file', () => {
    const text =
      '# A b: `c`!\n# A b: c\n[x](#a-b-c) [x](#a-b-c-1) [x](#gone) [x](gone.md) [x](README.md#gone) `[x](no)`';
    expect(findBrokenLinks('README.md', text)).toEqual(
      ['#gone', 'gone.md', 'README.md#gone'].map((to) => `README.md: ${to}`),
    );
    expect(findMissingScripts('x', '`npm run\nflying`, `npm run demo`')).toEqual(['x: npm run\nflying']);
    expect(findMissingFiles('x', '`apps/gone.ts` `apps/cli`')).toEqual(['x: apps/gone.ts']);
  });
});
