import type { GitOptions, GitResult } from '../git-result.js';
import { diffLines } from './diff-lines.js';
import type { MemoryRepo } from './memory-repo.js';
import type { Entry } from './objects.js';

type Command = (repo: MemoryRepo, args: readonly string[], options: GitOptions) => string | Buffer | false;

/** The git commands that the twin runs, on a repository in memory. `false` is git's exit code 1. */
const COMMANDS: Readonly<Record<string, Command>> = {
  log: (repo, args) =>
    listRange(repo, args)
      .map((sha) => `${renderCommit(repo, sha)}\0`)
      .join(''),
  'rev-list': (repo, args) => {
    const [sides] = args.filter((arg) => arg.includes('...'));
    if (sides === undefined)
      return listRange(repo, args)
        .map((sha) => `${sha}\n`)
        .join('');
    const [left = '', right = ''] = sides.split('...');
    return `${repo.list(left, [right]).length}\t${repo.list(right, [left]).length}\n`;
  },
  'cat-file': (repo, args, { input = '' }) => {
    if (args[0] === 'blob') return repo.objects.readBlob(args[1] ?? '');
    const names = String(input).split('\n').filter(Boolean);
    return names.map((name) => describeObject(repo, name.replace(/\^\{commit\}$/, ''))).join('');
  },
  'ls-tree': (repo, args) => {
    const split = args.indexOf('--');
    const commit = args.slice(0, split < 0 ? undefined : split).at(-1) ?? '';
    return listTree(repo, commit, split < 0 ? undefined : args[split + 1]);
  },
  diff: (repo, args) => {
    const [from = '', to = ''] = args.slice(-2);
    const context = Number(args.find((arg) => arg.startsWith('--unified='))?.slice(10) ?? 3);
    return renderDiff(repo, { from, to, context, raw: args.includes('--raw') });
  },
  'update-ref': (repo, args, { input = '' }) => {
    if (args[0] !== '-z') return setRef(repo, args[0] ?? '', args[1] ?? '');
    const [, ref = '', after = '', before = ''] =
      /^update ([^\0]*)\0([^\0]*)\0([^\0]*)\0$/.exec(String(input)) ?? [];
    return (repo.refs.get(ref) ?? ZERO) === before ? setRef(repo, ref, after) : false;
  },
  'for-each-ref': ({ refs }) =>
    [...refs]
      .filter(([ref]) => /^refs\/(heads|tags)\//.test(ref))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([ref, sha]) => `${sha} ${ref}\n`)
      .join(''),
  'merge-base': (repo, args) => {
    const [older = '', newer = ''] = args.slice(-2);
    if (repo.resolve(older) === undefined || repo.resolve(newer) === undefined) return false;
    if (args[0] === '--is-ancestor') return repo.isAncestor(older, newer) && '';
    const base = repo.findMergeBase(older, newer);
    return base !== undefined && `${base}\n`;
  },
  'merge-tree': (repo, args) => {
    const tree = repo.merge(args.at(-2) ?? '', args.at(-1) ?? '');
    return tree !== undefined && `${tree}\n`;
  },
  'commit-tree': (repo, args, { input = '', env = {} }) => {
    const who = (role: string): string =>
      `${env[`GIT_${role}_NAME`]} <${env[`GIT_${role}_EMAIL`]}> ${env[`GIT_${role}_DATE`]?.replace('@', '')}`;
    const parents = args.flatMap((arg, index) => (args[index - 1] === '-p' ? [arg] : []));
    const [author, committer] = [who('AUTHOR'), who('COMMITTER')];
    return `${repo.objects.addCommit({ tree: args[0] ?? '', parents, author, committer, message: String(input) })}\n`;
  },
};

const ZERO = '0'.repeat(40);

export function runMemoryGit(repo: MemoryRepo, args: readonly string[], options: GitOptions): GitResult {
  const [name = '', ...rest] = args.filter((arg) => arg !== '--literal-pathspecs');
  const command = COMMANDS[name];
  if (command === undefined) throw new Error(`repositories in memory do not support git ${args.join(' ')}`);
  try {
    const output = command(repo, rest, options);
    return output === false ? done(1, '') : done(0, output);
  } catch (error) {
    return { ...done(128, ''), stderr: String(error) };
  }
}

function done(code: number, output: string | Buffer): GitResult {
  return { code, stdout: Buffer.from(output), stderr: '' };
}

function setRef({ refs }: MemoryRepo, ref: string, sha: string): string {
  if (sha === ZERO) refs.delete(ref);
  else refs.set(ref, sha);
  return '';
}

function listRange(repo: MemoryRepo, args: readonly string[]): string[] {
  const names = args.filter((arg) => !arg.startsWith('-') && arg !== '');
  const [dots] = names.filter((name) => name.includes('..'));
  const [base, head] = dots?.split('..') ?? [];
  const after = head ?? names.find((name) => !name.startsWith('^')) ?? '';
  const before = base === undefined ? names.filter((n) => n.startsWith('^')).map((n) => n.slice(1)) : [base];
  const most = Number(
    args.find((arg) => arg.startsWith('--max-count='))?.slice(12) ?? Number.POSITIVE_INFINITY,
  );
  const isKept = (sha: string): boolean =>
    !args.includes('--no-merges') || repo.objects.readCommit(sha).parents.length < 2;
  const listed = repo.list(after, before, { firstParent: args.includes('--first-parent') }).filter(isKept);
  const limited = listed.slice(0, most);
  return args.includes('--reverse') ? limited.reverse() : limited;
}

function renderCommit({ objects }: MemoryRepo, sha: string): string {
  const { tree, parents, author, committer, message } = objects.readCommit(sha);
  const split = (text: string): string[] => {
    const [, name = '', email = '', seconds = '0'] = /^(.*) <(.*)> (\d+) \S+$/s.exec(text) ?? [];
    return [name, email, `${new Date(Number(seconds) * 1_000).toISOString().slice(0, 19)}+00:00`];
  };
  return [sha, tree, parents.join(' '), ...split(author), ...split(committer), message].join('\x1f');
}

function describeObject(repo: MemoryRepo, name: string): string {
  const sha = repo.resolve(name);
  return sha === undefined ? `${name} missing\n` : `${sha} commit ${repo.objects.sizeOf(sha)}\n`;
}

/** Lists the entries directly in the folder, or the single entry at the path. */
function listTree(repo: MemoryRepo, commit: string, path = ''): string {
  const files = repo.readFiles(commit);
  const prefix = path === '' || path.endsWith('/') ? path : '';
  const shown = new Map<string, Entry>();
  for (const [name, entry] of files) {
    if (!name.startsWith(prefix)) continue;
    const slash = name.indexOf('/', prefix.length);
    const short = slash < 0 ? name : name.slice(0, slash);
    const isWanted = prefix !== '' || path === '' ? true : name === path || name.startsWith(`${path}/`);
    if (isWanted) {
      const shownAs = prefix === '' && path !== '' ? path : short;
      shown.set(shownAs, name === short || name === path ? entry : FOLDER);
    }
  }
  return [...shown]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { mode, sha }]) => {
      const isFolder = mode === '040000';
      const size = isFolder ? '-' : String(repo.objects.sizeOf(sha));
      return `${mode} ${isFolder ? 'tree' : 'blob'} ${sha} ${size.padStart(7)}\t${name}\0`;
    })
    .join('');
}

/** No caller needs the sha of a folder, so all folders have the same. */
const FOLDER: Entry = { mode: '040000', sha: ZERO };

type Diff = { from: string; to: string; context: number; raw: boolean };

function renderDiff(repo: MemoryRepo, { from, to, context, raw }: Diff): string {
  const [before, after] = [repo.readFiles(from), repo.readFiles(to)];
  const changed = [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path)?.sha !== after.get(path)?.sha)
    .sort();
  const facts = changed.map((path) => {
    const [old, fresh] = [before.get(path), after.get(path)];
    const letter = old === undefined ? 'A' : fresh === undefined ? 'D' : 'M';
    const modes = `${old?.mode ?? '000000'} ${fresh?.mode ?? '000000'}`;
    return `:${modes} ${old?.sha ?? ZERO} ${fresh?.sha ?? ZERO} ${letter}\0${path}\0`;
  });
  const patches = changed.map((path) =>
    renderPatch(repo, { path, old: before.get(path), fresh: after.get(path), context }),
  );
  if (changed.length === 0) return '';
  return raw ? `${facts.join('')}\0${patches.join('')}` : patches.join('');
}

type Patched = { path: string; old: Entry | undefined; fresh: Entry | undefined; context: number };

function renderPatch({ objects }: MemoryRepo, { path, old, fresh, context }: Patched): string {
  const textOf = (entry: Entry | undefined): string =>
    entry === undefined ? '' : objects.readBlob(entry.sha).toString();
  const hunks = diffLines(textOf(old), textOf(fresh), context);
  const index = `index ${old?.sha ?? ZERO}..${fresh?.sha ?? ZERO}`;
  const head =
    old === undefined
      ? `new file mode ${fresh?.mode}\n${index}\n`
      : fresh === undefined
        ? `deleted file mode ${old.mode}\n${index}\n`
        : `${index} ${fresh.mode}\n`;
  const names = `--- ${old ? `a/${path}` : '/dev/null'}\n+++ ${fresh ? `b/${path}` : '/dev/null'}\n`;
  return `diff --git a/${path} b/${path}\n${head}${hunks === '' ? '' : names}${hunks}`;
}
