import { toStamp } from '../basics/clock.js';
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

/** Lists the commits of a range, which may include options of `git log`. */
export async function listCommits(dir: string, range: string[]): Promise<CommitInfo[]> {
  const text = await runGit(dir, ['log', '-z', `--format=${FORMAT}`, ...range, '--']);
  return text.split('\0').filter(Boolean).map(parseCommit);
}

/** Lists the commits of `base..head`, oldest first. */
export function listProposed(dir: string, { base, head }: { base: string; head: string }) {
  return listCommits(dir, ['--reverse', '--topo-order', `${base}..${head}`]);
}

/** Lists the commits of a pull request, at most 250 as on GitHub. */
export async function listPullCommits(dir: string, pull: { baseSha: string; headSha: string }) {
  return (await listProposed(dir, { base: pull.baseSha, head: pull.headSha })).slice(0, 250);
}

export async function listShas(dir: string, range: string[]): Promise<string[]> {
  return (await runGit(dir, ['rev-list', ...range, '--'])).split('\n').filter(Boolean);
}

/** Counts the commits that only the head has, and the commits that only the base has. */
export async function countSides(dir: string, base: string, head: string) {
  const text = await runGit(dir, ['rev-list', '--left-right', '--count', `${base}...${head}`, '--']);
  const [behindBy, aheadBy] = text.split('\t').map(Number);
  return { aheadBy: aheadBy ?? 0, behindBy: behindBy ?? 0 };
}

/** Characters that no branch, tag or commit name contains: control characters, and git's search and path syntax. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for them
const ODD = /[\x00-\x20\x7f:?*[\\{]/;

export const isSha = (text: string) => /^[0-9a-f]{40}$/.test(text);

const FOUND = /^[0-9a-f]{40} commit \d+$/;

/** Finds the commit of a branch, tag or sha. As on GitHub, a branch wins over a sha with the same text. */
export async function resolveCommit(dir: string, name: string): Promise<string | undefined> {
  if (name.startsWith('-') || name.includes('..') || ODD.test(name)) return undefined;
  const candidates = [`refs/heads/${name}`, `refs/tags/${name}`, name];
  const input = candidates.map((candidate) => `${candidate}^{commit}\n`).join('');
  const answers = (await runGit(dir, ['cat-file', '--batch-check'], { input })).split('\n');
  return answers.find((line) => FOUND.test(line))?.slice(0, 40);
}

export async function readCommit(dir: string, sha: string): Promise<CommitInfo> {
  const [commit] = await listCommits(dir, ['--max-count=1', sha]);
  if (!commit) throw new Error(`commit ${sha} is not in ${dir}`);
  return commit;
}

function parseCommit(record: string): CommitInfo {
  const [sha = '', tree = '', parents = '', ...rest] = record.split('\x1f');
  const [author, committer] = [rest.splice(0, 3), rest.splice(0, 3)].map(
    ([name = '', email = '', date = '']): Person => ({ name, email, date: toStamp(Date.parse(date)) }),
  );
  if (!author || !committer) throw new Error(`git log printed an unknown record: ${record}`);
  const message = rest.join('\x1f').replace(/(?<!\n)\n+$/, '');
  return { sha, tree, parents: parents.split(' ').filter(Boolean), author, committer, message };
}
