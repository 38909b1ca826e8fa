import { sanitiseLine } from '@mergexo/core';
import type { Conflict } from '@mergexo/git';

// A notice has room for so many, and an agent needs no more to see what it left undone.
const MAX_FILES = 10;
const MAX_NAME = 120;

/** For the agent: one complaint per file. */
export function explainUnresolved(files: readonly Conflict[]): string[] {
  return cut(
    files,
    ({ path, reason }) => `${path}: ${reason}; resolve the conflict in the file, do not commit`,
  );
}

/** For people: why nothing was pushed. */
export function describeUnresolved(files: readonly Conflict[], baseBranch: string): string {
  const names = cut(files, ({ path, reason }) => `- ${path}: ${reason}`);
  return [
    `The agent did not resolve the conflicts with ${baseBranch}. Nothing was pushed.`,
    '',
    ...names,
  ].join('\n');
}

function cut(files: readonly Conflict[], render: (file: Conflict) => string): string[] {
  const left = files.length - MAX_FILES;
  const named = files.slice(0, MAX_FILES).map(({ path, reason }) => render({ path: shorten(path), reason }));
  return left > 0 ? [...named, `and ${left} more files`] : named;
}

function shorten(path: string): string {
  const line = sanitiseLine(path);
  return line.length > MAX_NAME ? `…${line.slice(-MAX_NAME)}` : line;
}
