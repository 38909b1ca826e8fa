import type { NewCommit } from '../new-commit.js';
import { type Commit, createObjects, type Entry, type Files, type Lender } from './objects.js';

export type MemoryRepo = ReturnType<typeof createMemoryRepo>;

/** A repository in memory: objects, refs, and the few questions about history that the twin asks git. */
export function createMemoryRepo(lender?: Lender) {
  const objects = createObjects(lender);
  const refs = new Map<string, string>();
  const ancestors = new Map<string, ReadonlySet<string>>();

  /** The commit and everything before it. */
  const reach = (sha: string): ReadonlySet<string> => {
    const known = ancestors.get(sha);
    if (known !== undefined) return known;
    const found = new Set([sha]);
    for (const commit of found) for (const parent of objects.readCommit(commit).parents) found.add(parent);
    ancestors.set(sha, found);
    return found;
  };
  const isAncestor = (older: string, newer: string): boolean => reach(newer).has(older);
  const readFiles = (name: string): Files => {
    if (name === EMPTY_TREE) return new Map();
    return objects.readTree(objects.kindOf(name) === 'tree' ? name : objects.readCommit(name).tree);
  };
  return {
    objects,
    refs,
    reach,
    isAncestor,
    readFiles,
    resolve: (name: string): string | undefined => {
      const sha = refs.get(name) ?? name;
      return objects.kindOf(sha) === 'commit' ? sha : undefined;
    },
    /** Lists the commits of `after` that `before` lacks, newest first. Parents come after all their children. */
    list(after: string, before: readonly string[], { firstParent = false } = {}): string[] {
      const seen = new Set(before.flatMap((sha) => [...reach(sha)]));
      const listed: string[] = [];
      const visit = (sha: string): void => {
        if (seen.has(sha)) return;
        seen.add(sha);
        const { parents } = objects.readCommit(sha);
        for (const parent of firstParent ? parents.slice(0, 1) : parents.toReversed()) visit(parent);
        listed.unshift(sha);
      };
      visit(after);
      return listed;
    },
    findMergeBase(a: string, b: string): string | undefined {
      const common = [...reach(a)].filter((sha) => isAncestor(sha, b));
      return common.find((sha) => !common.some((other) => other !== sha && isAncestor(sha, other)));
    },
    /** Merges file by file. Returns undefined if both sides changed the same file. */
    merge(base: string, head: string): string | undefined {
      const common = this.findMergeBase(base, head);
      const [origin, ours, theirs] = [
        common ? readFiles(common) : new Map(),
        readFiles(base),
        readFiles(head),
      ];
      const merged = new Map<string, Entry>();
      for (const path of new Set([...origin.keys(), ...ours.keys(), ...theirs.keys()])) {
        const [old, left, right] = [origin.get(path), ours.get(path), theirs.get(path)];
        const isSame = (one: Entry | undefined, other: Entry | undefined): boolean =>
          one?.sha === other?.sha && one?.mode === other?.mode;
        if (!isSame(left, right) && !isSame(left, old) && !isSame(right, old)) return undefined;
        const result = isSame(left, old) ? right : left;
        if (result !== undefined) merged.set(path, result);
      }
      return objects.addTree(merged);
    },
    /** Creates a commit with these files on top of its parent. Moves no branch. */
    commit({ files, message, parent, author, atMs }: NewCommit): string {
      const all = new Map(parent === null ? [] : readFiles(parent));
      for (const [path, content] of Object.entries(files)) {
        if (content === null) all.delete(path);
        else all.set(path, addFile(Buffer.from(content)));
      }
      const who = `${author.name} <${author.email}> ${Math.floor(atMs / 1000)} +0000`;
      const commit: Commit = {
        tree: objects.addTree(all),
        parents: parent === null ? [] : [parent],
        author: who,
        committer: who,
        message,
      };
      return objects.addCommit(commit);
    },
  };

  function addFile(content: Buffer): Entry {
    const isProgram = content.subarray(0, 2).toString() === '#!';
    return { mode: isProgram ? '100755' : '100644', sha: objects.add('blob', content) };
  }
}

export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
