import { runGit } from './run-git.js';

export type FileChange = {
  filename: string;
  previousFilename: string | null;
  /** True for a submodule, which is a commit of another repository instead of a file. */
  submodule: boolean;
  status: 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed';
  sha: string;
  additions: number;
  deletions: number;
  /** Null for binary files and for renames without edits. */
  patch: string | null;
};

type RawEntry = { modes: string[]; letter: string; oldSha: string; newSha: string; names: string[] };

const PLAIN = ['-M', '--no-color', '--no-ext-diff', '--no-textconv'];

export type DiffRange = { from: string; to: string; context?: number };

/** Lists the files that differ between two commits, with patches in GitHub's format. */
export async function diffFiles(dir: string, { from, to, context = 3 }: DiffRange): Promise<FileChange[]> {
  const args = ['diff', '--raw', '--patch', '-z', '--no-abbrev', ...PLAIN, `--unified=${context}`];
  const { entries, rest } = parseRaw(await runGit(dir, [...args, from, to]));
  // Split instead of a multi-line regex, because a regex would treat a carriage return inside a line as a line break.
  const sections = `\n${rest}`.split('\ndiff --git ').slice(1);
  // A type change (file to symlink) is one raw entry but two sections.
  return entries.map((entry) =>
    toFileChange(entry, sections.splice(0, entry.letter === 'T' ? 2 : 1).join('\n')),
  );
}

export function diffText(dir: string, { from, to }: DiffRange): Promise<string> {
  return runGit(dir, ['diff', ...PLAIN, from, to]);
}

function parseRaw(output: string): { entries: RawEntry[]; rest: string } {
  const entries: RawEntry[] = [];
  let at = 0;
  const next = () => {
    const end = output.indexOf('\0', at);
    const field = output.slice(at, end);
    at = end + 1;
    return field;
  };
  while (output[at] === ':') {
    const [oldMode = '', newMode = '', oldSha = '', newSha = '', letter = ''] = next().slice(1).split(' ');
    const names = /^[RC]/.test(letter) ? [next(), next()] : [next()];
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
