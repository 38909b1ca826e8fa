import { mustRun, type Place, type RunGit } from '../run/run-git.js';

export type CommittedFile = { sha: string; path: string; maxBytes: number };

/** A file of a commit, whatever the slot contains; undefined when it is missing, no file, or too large. */
export async function readCommitted(
  run: RunGit,
  { sha, path, maxBytes, ...place }: CommittedFile & Place,
): Promise<Buffer | undefined> {
  // `cat-file` reads one object per line, and resolves leading dots relative to a working tree.
  if (/\p{Cc}|^\.{0,2}\//u.test(path)) return undefined;
  const action = `reading ${path} of ${sha}`;
  const ask = (args: string[], line: string) =>
    mustRun(run, { action, args, input: Buffer.from(`${line}\n`), ...place });
  const checked = await ask(
    ['cat-file', '--batch-check=%(objecttype) %(objectname) %(objectsize)'],
    `${sha}:${path}`,
  );
  const [, id, size] = /^blob ([0-9a-f]{40,64}) (\d+)$/.exec(checked.stdout.toString().trim()) ?? [];
  if (id === undefined || Number(size) > maxBytes) return undefined;
  const { stdout } = await mustRun(run, { action, args: ['cat-file', 'blob', id], ...place });
  return stdout;
}
