export type Conflict = { path: string; reason: string };

/** Paths are bytes, one character each (latin1), because git and the file system do not define an encoding. */
export type Merge = { tree: string; conflicts: readonly Conflict[] };

/** Parses the output of `git merge-tree --write-tree -z`; undefined for any other output. */
export function parseMerge(stdout: Buffer): Merge | undefined {
  const fields = stdout.toString('latin1').split('\0');
  const tree = fields[0] ?? '';
  if (!/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(tree)) return undefined;
  // An empty field ends the list of files. The messages follow.
  const filesEnd = fields.indexOf('', 1);
  const stages = parseStages(fields.slice(1, filesEnd < 0 ? fields.length : filesEnd));
  const messages = filesEnd < 0 ? [] : parseMessages(fields.slice(filesEnd + 1));
  for (const { paths } of messages)
    if (!paths.some((path) => stages.has(path))) for (const path of paths) stages.set(path, new Set());
  const conflicts = [...stages].map(([path, found]) => ({
    path,
    reason: describe(
      messages.filter(({ paths }) => paths.includes(path)).map(({ type }) => type),
      found,
    ),
  }));
  return { tree, conflicts };
}

/** Converts a conflict for people and agents. Bytes of the path that are not UTF-8 become U+FFFD. */
export function toConflict({ path, reason }: Conflict): Conflict {
  return { path: Buffer.from(path, 'latin1').toString(), reason };
}

/** The versions of the file that exist: 1 is the common ancestor, 2 the branch, 3 the base. */
type Stages = Set<number>;

function parseStages(records: readonly string[]): Map<string, Stages> {
  const files = new Map<string, Stages>();
  for (const record of records) {
    const [, stage = '', path = ''] = /^\d+ [0-9a-f]+ ([123])\t(.+)$/s.exec(record) ?? [];
    if (path === '') continue;
    files.set(path, (files.get(path) ?? new Set<number>()).add(Number(stage)));
  }
  return files;
}

type Message = { paths: string[]; type: string };

/**
 * Parses the messages. Each consists of a count, that many paths, a stable type, and a text that differs between git
 * versions.
 */
function parseMessages(fields: readonly string[]): Message[] {
  const messages: Message[] = [];
  let at = 0;
  while (at < fields.length) {
    const count = Number(fields[at]);
    if (fields[at] === '' || !Number.isInteger(count)) break;
    const type = fields[at + count + 1] ?? '';
    if (type.startsWith('CONFLICT')) messages.push({ paths: fields.slice(at + 1, at + count + 1), type });
    at += count + 3;
  }
  return messages;
}

const REASONS: Readonly<Record<string, string>> = {
  binary: 'binary, changed on both sides; the working directory contains the branch’s version',
  'rename/delete': 'renamed on one side, deleted on the other',
  'rename/rename': 'renamed to different names',
  'rename involved in collision': 'renamed to a name that the other side uses',
  'file/directory': 'a file on one side, a directory on the other',
  'distinct modes': 'another kind of file on each side',
};

function describe(types: readonly string[], stages: Stages): string {
  const names = types.map((type) => /\(([^()]*)\)/.exec(type)?.[1] ?? type);
  // For binary files, git also reports that their contents conflict.
  const specific = names.filter((name) => name !== 'contents' || !names.includes('binary'));
  return [...new Set(specific.map((name) => describeOne(name, stages)))].join('; ') || 'conflicting';
}

function describeOne(name: string, stages: Stages): string {
  if (name === 'contents') return stages.has(1) ? 'changed on both sides' : 'added on both sides';
  if (name === 'modify/delete')
    return stages.has(2)
      ? 'changed on the branch, deleted on the base branch; the working directory still contains the file'
      : 'deleted on the branch, changed on the base branch; the working directory contains the base branch’s version';
  return REASONS[name] ?? name;
}
