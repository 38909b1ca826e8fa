import { type CommitInfo, countSides, isSha, readCommit, resolveCommit } from './commits.js';
import { diffFiles, type FileChange } from './diff.js';
import { commitTree, findMergeBase, isAncestor, mergeTrees } from './merge.js';
import { parseHunks } from './parse-patch.js';
import type { Refs } from './refs.js';

export type GitRepo = ReturnType<typeof openGitRepo>;
export type Comparison = { mergeBase: string; aheadBy: number; behindBy: number; files: FileChange[] };

/** The sha of the empty tree, which exists in every git repository. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const GITHUB = { name: 'GitHub', email: 'noreply@github.com' };
/** The time is fixed, so that the same two commits always produce the same test merge. */
const TESTER = { author: GITHUB, committer: GITHUB, atMs: 0 };

/** Opens a bare repository. Caches facts about commits, because commits never change. */
export function openGitRepo(dir: string) {
  let refs: Refs = {};
  const testMerges = new Map<string, string>();
  const resolveSha = remember((sha) => resolveCommit(dir, sha));
  const mergeTree = remember((base, head) => mergeTrees(dir, base, head));
  return {
    dir,
    /** Refs at the last `syncRefs`. */
    refs: () => refs,
    setRefs: (next: Refs) => {
      refs = next;
    },
    branch: (name: string): string | undefined => refs[`refs/heads/${name}`],
    lock: createLock(),
    readCommit: remember((sha) => readCommit(dir, sha)),
    /** Finds the commit of a branch, tag or sha. Only shas are cached, because branches move. */
    resolve: (name: string) => (isSha(name) ? resolveSha(name) : resolveCommit(dir, name)),
    /** Lists the files that a commit changed. */
    readChanges: async (commit: CommitInfo) =>
      diffFiles(dir, { from: commit.parents[0] ?? EMPTY_TREE, to: commit.sha }),
    /** Compares `base...head`. Returns undefined for unrelated histories. */
    compare: remember(async (base, head): Promise<Comparison | undefined> => {
      const mergeBase = await findMergeBase(dir, base, head);
      if (mergeBase === undefined) return undefined;
      const [sides, files] = await Promise.all([
        countSides(dir, base, head),
        diffFiles(dir, { from: mergeBase, to: head }),
      ]);
      return { mergeBase, ...sides, files };
    }),
    mergeTree,
    /** Creates the merge commit that GitHub keeps under `refs/pull/N/merge`. Returns undefined on conflict. */
    testMerge: remember(async (base, head) => {
      const tree = await mergeTree(base, head);
      if (tree === undefined) return undefined;
      const message = `Merge ${head} into ${base}`;
      const sha = await commitTree(dir, { tree, parents: [base, head], message, signature: TESTER });
      testMerges.set(`${base} ${head}`, sha);
      return sha;
    }),
    /** Returns the test merge of two commits if it was already made. */
    knownTestMerge: (base: string, head: string) => testMerges.get(`${base} ${head}`),
    isAncestor: remember((older, newer) => isAncestor(dir, older, newer)),
    /** Returns hunks without context, by old file name. They map line numbers from one commit to another. */
    readEdits: remember(async (from, to) => {
      const files = await diffFiles(dir, { from, to, context: 0 });
      return new Map(
        files.map((file) => [file.previousFilename ?? file.filename, parseHunks(file.patch ?? '')]),
      );
    }),
  };
}

/** Caches promises instead of values, so that many simultaneous callers start only one git process. */
function remember<Value>(compute: (a: string, b: string) => Promise<Value>) {
  const known = new Map<string, Promise<Value>>();
  return (a: string, b = ''): Promise<Value> => {
    const key = `${a} ${b}`;
    const answer = known.get(key) ?? compute(a, b);
    known.set(key, answer);
    // Failures and undefined results are not cached, because a missing commit may arrive with the next push.
    const forget = () => known.delete(key);
    answer.then((value) => value === undefined && forget(), forget);
    return answer;
  };
}

/** Creates a function that runs its callbacks one at a time, in the order of the calls. */
function createLock(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => {});
    return mine;
  };
}
