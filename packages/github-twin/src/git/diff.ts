import { runGitRaw } from './run-git.js';

export type FileChange = {
  filename: string;
  previousFilename: string | null;
  /** A commit of another repository in the place of a file. */
  submodule: boolean;
  status: 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed';
  sha: string;
  additions: number;
  deletions: number;
  /** Null for binary files and for renames without edits. */
  patch: string | null;
};

type RawEntry = { modes: string[]; letter: string; oldSha: string; newSha: string; names: string[] };

/** The files that differ between two commits, with GitHub's patches. */
export async function diffFiles(dir: string, from: string, to: string, context = 3): Promise<FileChange[]> {
  const args = [
    'diff',
    '--raw',
    '--patch',
    '-z',
    '-M',
    '--no-abbrev',
    '--no-color',
    '--no-ext-diff',
    '--no-textconv',
  ];
  const output = (await runGitRaw(dir, [...args, `--unified=${context}`, from, to])).toString();
  const { entries, rest } = parseRaw(output);
  // Not a multi-line regex: to JavaScript a carriage return inside a file's line would start a new one.
  const sections = `\n${rest}`.split('\ndiff --git ').slice(1);
  let next = 0;
  return entries.map((entry) => {
    // A change of type (file to symlink) is one raw entry but two sections.
    const count = entry.letter === 'T' ? 2 : 1;
    const section = sections.slice(next, next + count).join('\n');
    next += count;
    return toFileChange(entry, section);
  });
}

export async function diffText(dir: string, from: string, to: string): Promise<string> {
  return (
    await runGitRaw(dir, ['diff', '-M', '--no-color', '--no-ext-diff', '--no-textconv', from, to])
  ).toString();
}

function parseRaw(output: string): { entries: RawEntry[]; rest: string } {
  const entries: RawEntry[] = [];
  let at = 0;
  const take = () => {
    const end = output.indexOf('\0', at);
    const field = output.slice(at, end);
    at = end + 1;
    return field;
  };
  while (output[at] === ':') {
    const [oldMode = '', newMode = '', oldSha = '', newSha = '', letter = ''] = take().slice(1).split(' ');
    const names = /^[RC]/.test(letter) ? [take(), take()] : [take()];
    entries.push({ modes: [oldMode, newMode], letter: letter.slice(0, 1), oldSha, newSha, names });
  }
  return { entries, rest: output.slice(output[at] === '\0' ? at + 1 : at) };
}

const STATUS: Record<string, FileChange['status']> = {
  A: 'added',
  D: 'removed',
  R: 'renamed',
  C: 'copied',
  T: 'changed',
};

function toFileChange(entry: RawEntry, section: string): FileChange {
  const start = section.indexOf('\n@@ ');
  const patch = start < 0 ? null : section.slice(start + 1).replace(/\n$/, '');
  const lines = patch?.split('\n') ?? [];
  return {
    filename: entry.names.at(-1) ?? '',
    previousFilename: entry.names.length > 1 ? (entry.names[0] ?? null) : null,
    submodule: entry.modes.includes('160000'),
    status: STATUS[entry.letter] ?? 'modified',
    sha: entry.letter === 'D' ? entry.oldSha : entry.newSha,
    additions: lines.filter((line) => line.startsWith('+')).length,
    deletions: lines.filter((line) => line.startsWith('-')).length,
    patch,
  };
}
