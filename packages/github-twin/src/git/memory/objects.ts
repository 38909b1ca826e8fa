import { createHash } from 'node:crypto';
import { z } from 'zod';

const ObjectKind = z.enum(['blob', 'tree', 'commit']);
export type ObjectKind = z.infer<typeof ObjectKind>;
export type Entry = { mode: string; sha: string };
/** The files of a commit, by full path. */
export type Files = ReadonlyMap<string, Entry>;
export type Commit = { tree: string; parents: string[]; author: string; committer: string; message: string };
/** What a clone borrows from the repository that it was cloned from. */
export type Lender = { find(sha: string): Stored | undefined };
type Stored = { kind: ObjectKind; body: Buffer };
/** An object on its way to another repository. */
export const Packed = z.strictObject({ sha: z.string(), kind: ObjectKind, base64: z.string() });
export type Packed = z.infer<typeof Packed>;

/** Git's objects in memory, under the same shas that git computes. A clone borrows the objects of its origin. */
export function createObjects(lender?: Lender) {
  const bodies = new Map<string, Stored>();
  const find = (sha: string): Stored | undefined => bodies.get(sha) ?? lender?.find(sha);
  const trees = new Map<string, Files>();
  const commits = new Map<string, Commit>();

  const add = (kind: ObjectKind, body: Buffer): string => {
    const sha = createHash('sha1').update(`${kind} ${body.length}\0`).update(body).digest('hex');
    if (find(sha) === undefined) bodies.set(sha, { kind, body });
    return sha;
  };
  const bodyOf = (sha: string, kind: ObjectKind): Buffer => {
    const found = find(sha);
    if (found?.kind !== kind) throw new Error(`${sha} is not a ${kind} in this repository`);
    return found.body;
  };
  const readTree = (sha: string): Files => {
    const known = trees.get(sha) ?? new Map(parseTree(bodyOf(sha, 'tree')).flatMap(expand));
    trees.set(sha, known);
    return known;
  };
  const expand = ([name, entry]: [string, Entry]): [string, Entry][] =>
    entry.mode === '40000'
      ? [...readTree(entry.sha)].map(([path, inner]) => [`${name}/${path}`, inner])
      : [[name, entry]];
  const addTree = (files: Files): string => {
    const direct = new Map<string, Entry>();
    const folders = new Map<string, Map<string, Entry>>();
    for (const [path, entry] of files) {
      const slash = path.indexOf('/');
      if (slash < 0) direct.set(path, entry);
      else {
        const folder = folders.get(path.slice(0, slash)) ?? new Map<string, Entry>();
        folders.set(path.slice(0, slash), folder.set(path.slice(slash + 1), entry));
      }
    }
    for (const [name, inner] of folders) direct.set(name, { mode: '40000', sha: addTree(inner) });
    return add('tree', renderTree(direct));
  };
  const readCommit = (sha: string): Commit => {
    const known = commits.get(sha) ?? parseCommit(bodyOf(sha, 'commit').toString());
    commits.set(sha, known);
    return known;
  };
  return {
    find,
    add,
    addTree,
    readTree,
    readCommit,
    addCommit: (commit: Commit): string => add('commit', Buffer.from(renderCommit(commit))),
    readBlob: (sha: string): Buffer => bodyOf(sha, 'blob'),
    kindOf: (sha: string): ObjectKind | undefined => find(sha)?.kind,
    sizeOf: (sha: string): number => find(sha)?.body.length ?? 0,
    /** Returns the objects that are not borrowed, for the origin's `unpack`. */
    pack: (): Packed[] =>
      [...bodies].map(([sha, { kind, body }]) => ({ sha, kind, base64: body.toString('base64') })),
    unpack(packed: readonly Packed[]): void {
      for (const { kind, base64 } of packed) add(kind, Buffer.from(base64, 'base64'));
    },
  };
}

/** Git sorts a folder as if its name ended in a slash. */
function renderTree(entries: ReadonlyMap<string, Entry>): Buffer {
  const sortName = ([name, { mode }]: [string, Entry]): Buffer =>
    Buffer.from(mode === '40000' ? `${name}/` : name);
  const sorted = [...entries].sort((a, b) => Buffer.compare(sortName(a), sortName(b)));
  return Buffer.concat(
    sorted.flatMap(([name, { mode, sha }]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(sha, 'hex')]),
  );
}

function parseTree(body: Buffer): [string, Entry][] {
  const entries: [string, Entry][] = [];
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf(0, at);
    const [, mode = '', name = ''] = /^(\d+) (.*)$/s.exec(body.toString('utf8', at, end)) ?? [];
    entries.push([name, { mode, sha: body.toString('hex', end + 1, end + 21) }]);
    at = end + 21;
  }
  return entries;
}

function renderCommit({ tree, parents, author, committer, message }: Commit): string {
  const links = parents.map((parent) => `parent ${parent}\n`).join('');
  return `tree ${tree}\n${links}author ${author}\ncommitter ${committer}\n\n${message}`;
}

function parseCommit(text: string): Commit {
  const end = text.indexOf('\n\n');
  const lines = text.slice(0, end).split('\n');
  const all = (name: string): string[] =>
    lines.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []));
  const one = (name: string): string => all(name)[0] ?? '';
  return {
    tree: one('tree'),
    parents: all('parent'),
    author: one('author'),
    committer: one('committer'),
    message: text.slice(end + 2),
  };
}
