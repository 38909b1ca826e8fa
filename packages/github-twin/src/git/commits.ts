import { createMemory } from './remember.js';
import { runGit } from './run-git.js';

export type Person = { name: string; email: string; date: string };
export type CommitInfo = {
  sha: string;
  tree: string;
  parents: string[];
  author: Person;
  committer: Person;
  message: string;
};

const FORMAT = ['%H', '%T', '%P', '%an', '%ae', '%aI', '%cn', '%ce', '%cI', '%B'].join('%x1f');

/** The commits of a range; it may hold further options of `git log`. */
export async function listCommits(dir: string, range: string[]): Promise<CommitInfo[]> {
  const text = await runGit(dir, ['log', '-z', `--format=${FORMAT}`, ...range, '--']);
  return text.split('\0').filter(Boolean).map(parseCommit);
}

/** What a pull request from `head` to `base` proposes, oldest first. */
export function listProposed(dir: string, { base, head }: { base: string; head: string }) {
  return listCommits(dir, ['--reverse', '--topo-order', `${base}..${head}`]);
}

export async function listShas(dir: string, range: string[]): Promise<string[]> {
  return (await runGit(dir, ['rev-list', ...range, '--'])).split('\n').filter(Boolean);
}

/** How many commits each of the two has that the other has not. */
export async function countSides(dir: string, base: string, head: string) {
  const text = await runGit(dir, ['rev-list', '--left-right', '--count', `${base}...${head}`, '--']);
  const [behindBy, aheadBy] = text.split('\t').map(Number);
  return { aheadBy: aheadBy ?? 0, behindBy: behindBy ?? 0 };
}

/** What no name of a branch, tag or commit contains: control characters, and git's magic for searching and for paths. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ODD = /[\x00-\x20\x7f:?*[\\{]/;

const FOUND = /^[0-9a-f]{40} commit \d+$/;

/** The commit that a sha, branch or tag names, or undefined. Branches win over look-alike shas, as on GitHub. */
export async function resolveCommit(dir: string, name: string): Promise<string | undefined> {
  if (name.startsWith('-') || name.includes('..') || ODD.test(name)) return undefined;
  const candidates = [`refs/heads/${name}`, `refs/tags/${name}`, name];
  const input = candidates.map((candidate) => `${candidate}^{commit}\n`).join('');
  const answers = (await runGit(dir, ['cat-file', '--batch-check'], { input })).split('\n');
  return answers.find((line) => FOUND.test(line))?.slice(0, 40);
}

export function createCommitReader(dir: string) {
  const remember = createMemory<CommitInfo>(5_000);
  return (sha: string): Promise<CommitInfo> =>
    remember(sha, async () => {
      const [commit] = await listCommits(dir, ['--max-count=1', sha]);
      if (!commit) throw new Error(`commit ${sha} is not in ${dir}`);
      return commit;
    });
}

function parseCommit(record: string): CommitInfo {
  const [
    sha = '',
    tree = '',
    parents = '',
    an = '',
    ae = '',
    ad = '',
    cn = '',
    ce = '',
    cd = '',
    ...message
  ] = record.split('\x1f');
  return {
    sha,
    tree,
    parents: parents.split(' ').filter(Boolean),
    author: { name: an, email: ae, date: toUtc(ad) },
    committer: { name: cn, email: ce, date: toUtc(cd) },
    message: message.join('\x1f').replace(/\n+$/, ''),
  };
}

const toUtc = (date: string) => `${new Date(date).toISOString().slice(0, 19)}Z`;
