/** Names are bytes, one character each (latin1): git and the file system know no encoding. */
export type RawConflict = {
  path: string;
  reason: string;
  /** The file's content on the branch and on the base. */
  sides: string[];
};

type MergeOutput = { tree: string; conflicts: RawConflict[] };

/** For people and agents. Bytes of the path that are no UTF-8 read as U+FFFD. */
export type Conflict = { path: string; reason: string };

/** Parses the output of `git merge-tree --write-tree -z`; undefined for any other output. */
export function parseMerge(stdout: Buffer): MergeOutput | undefined {
  const words = stdout.toString('latin1').split('\0');
  const tree = words[0] ?? '';
  if (!/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(tree)) return undefined;
  // An empty word ends the list of files; messages follow.
  const border = words.indexOf('', 1);
  const stages = readStages(words.slice(1, border < 0 ? words.length : border));
  const messages = border < 0 ? [] : readMessages(words.slice(border + 1));
  for (const { paths } of messages)
    if (!paths.some((path) => stages.has(path))) for (const path of paths) stages.set(path, new Map());
  const conflicts = [...stages].map(([path, found]) => ({
    path,
    reason: describe(
      messages.filter(({ paths }) => paths.includes(path)).map(({ type }) => type),
      found,
    ),
    sides: [2, 3].flatMap((stage) => found.get(stage) ?? []),
  }));
  return { tree, conflicts };
}

export function toConflict({ path, reason }: Pick<RawConflict, 'path' | 'reason'>): Conflict {
  return { path: Buffer.from(path, 'latin1').toString(), reason };
}

/** By stage: 1 the common ancestor, 2 the branch, 3 the base. Submodules have no content here. */
type Stages = Map<number, string>;

function readStages(records: readonly string[]): Map<string, Stages> {
  const files = new Map<string, Stages>();
  for (const record of records) {
    const [, , id = '', stage = '', path = ''] = /^(\d+) ([0-9a-f]+) ([123])\t(.+)$/s.exec(record) ?? [];
    if (path === '') continue;
    const stages = files.get(path) ?? new Map<number, string>();
    files.set(path, stages.set(Number(stage), id));
  }
  return files;
}

type Message = { paths: string[]; type: string };

/** Each message is a count, that many paths, a stable type, and a text that may change between versions. */
function readMessages(words: readonly string[]): Message[] {
  const messages: Message[] = [];
  let at = 0;
  while (at < words.length) {
    const count = Number(words[at]);
    if (words[at] === '' || !Number.isInteger(count)) break;
    const type = words[at + count + 1] ?? '';
    if (type.startsWith('CONFLICT')) messages.push({ paths: words.slice(at + 1, at + count + 1), type });
    at += count + 3;
  }
  return messages;
}

const REASONS: Readonly<Record<string, string>> = {
  binary: 'binary, changed on both sides; the branch’s version is there now',
  'rename/delete': 'renamed on one side, deleted on the other',
  'rename/rename': 'renamed to different names',
  'rename involved in collision': 'renamed to a name that the other side uses',
  'file/directory': 'a file on one side, a directory on the other',
  'distinct modes': 'another kind of file on each side',
};

function describe(types: readonly string[], stages: Stages): string {
  const names = types.map((type) => /\((.*)\)/.exec(type)?.[1] ?? type);
  // For binary files git also reports that their contents conflict.
  const telling = names.filter((name) => name !== 'contents' || !names.includes('binary'));
  return [...new Set(telling.map((name) => describeOne(name, stages)))].join('; ') || 'conflicting';
}

function describeOne(name: string, stages: Stages): string {
  if (name === 'contents') return stages.has(1) ? 'changed on both sides' : 'added on both sides';
  if (name === 'modify/delete')
    return stages.has(2)
      ? 'changed on the branch, deleted on the base; the file is still there'
      : 'deleted on the branch, changed on the base; the base’s file is there now';
  return REASONS[name] ?? name;
}
