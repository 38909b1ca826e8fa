import { createCommitReader, resolveCommit } from './commits.js';
import { createComparer } from './compare.js';
import { diffFiles } from './diff.js';
import { commitTree, isAncestor, type MergeTree, mergeTrees } from './merge.js';
import { type Hunk, parseHunks } from './parse-patch.js';
import { createRefReader } from './refs.js';
import { createMemory } from './remember.js';

export type GitRepo = ReturnType<typeof openGitRepo>;

const GITHUB = { name: 'GitHub', email: 'noreply@github.com' };
/** Always the same time: the same two commits have the same test merge, also after a restart. */
const TESTER = { author: GITHUB, committer: GITHUB, atMs: 0 };

/** One bare repository, with everything that may be remembered about it. */
export function openGitRepo(dir: string) {
  const mergeMemory = createMemory<MergeTree>(1_000);
  const ancestryMemory = createMemory<boolean>(2_000);
  const shaMemory = createMemory<string | undefined>(5_000);
  const editMemory = createMemory<Map<string, Hunk[]>>(500);
  const testMerges = new Map<string, string>();
  /** The commit that a merge would make, as GitHub keeps it under `refs/pull/N/merge`; undefined on conflict. */
  const testMerge = async (base: string, head: string): Promise<string | undefined> => {
    const merged = await mergeMemory(`${base} ${head}`, () => mergeTrees(dir, base, head));
    if (merged.kind === 'conflict') return undefined;
    const known = testMerges.get(`${base} ${head}`);
    if (known !== undefined) return known;
    const message = `Merge ${head} into ${base}`;
    const sha = await commitTree(dir, {
      tree: merged.tree,
      parents: [base, head],
      message,
      signature: TESTER,
    });
    const [oldest] = testMerges.keys();
    if (testMerges.size >= 1_000 && oldest !== undefined) testMerges.delete(oldest);
    testMerges.set(`${base} ${head}`, sha);
    return sha;
  };
  return {
    dir,
    /** While a push runs, its half of the refs is nobody's business: readers see the state before it. */
    pushes: 0,
    lock: createLock(),
    readRefs: createRefReader(dir),
    readCommit: createCommitReader(dir),
    /** The commit that a name stands for; what a branch stands for changes, what a sha stands for does not. */
    resolve: (name: string): Promise<string | undefined> =>
      /^[0-9a-f]{40}$/.test(name)
        ? shaMemory(name, () => resolveCommit(dir, name))
        : resolveCommit(dir, name),
    compare: createComparer(dir),
    testMerge,
    /** The test merge of two commits if somebody has asked for it before. */
    knownTestMerge: (base: string, head: string) => testMerges.get(`${base} ${head}`),
    tryMerge: (base: string, head: string) =>
      mergeMemory(`${base} ${head}`, () => mergeTrees(dir, base, head)),
    isAncestor: (older: string, newer: string) =>
      ancestryMemory(`${older} ${newer}`, () => isAncestor(dir, older, newer)),
    /** Hunks without context per old file name: for following lines from one commit to another. */
    readEdits: (from: string, to: string) =>
      editMemory(`${from} ${to}`, async () => {
        const files = await diffFiles(dir, from, to, 0);
        return new Map(
          files.map((file) => [file.previousFilename ?? file.filename, parseHunks(file.patch ?? '')]),
        );
      }),
  };
}

/** One at a time, in the order of asking. */
export function createLock(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => {});
    return mine;
  };
}
