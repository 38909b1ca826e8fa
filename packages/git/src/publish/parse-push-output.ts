import type { Ran } from '../run/run-git.js';

export type PushResult =
  | { kind: 'done' }
  /** A rule on the remote forbids the push. */
  | { kind: 'refused'; reason: string }
  /** The head moved, or the remote failed. */
  | { kind: 'rejected'; reason: string }
  /** The output does not mention our branch. */
  | { kind: 'none' };

// Matches messages from a server that failed, as opposed to a rule that forbids the push.
const SERVER_ERROR =
  /internal|time.?out|timed out|failed to update ref|unpacker|temporar|incorrect old value/i;

/** Parses the output of `git push --porcelain`, one line per branch: `<flag>\t<from>:<to>\t<summary>`. */
export function parsePushOutput({ stdout, stderr }: Ran, ref: string): PushResult {
  const lines = stdout.toString().split('\n');
  const [flag, , summary = ''] = (lines.find((line) => line.split('\t')[1]?.endsWith(`:${ref}`)) ?? '').split(
    '\t',
  );
  if (flag === undefined || flag === '') return { kind: 'none' };
  if (flag !== '!') return { kind: 'done' };
  const reason = explain(summary, stderr);
  if (!summary.startsWith('[remote rejected]')) return { kind: 'rejected', reason };
  const blocked = /exists; cannot create|directory.file conflict/i.test(summary + stderr);
  const locked = /cannot lock ref/i.test(summary) && !blocked;
  return { kind: locked || (SERVER_ERROR.test(summary) && !blocked) ? 'rejected' : 'refused', reason };
}

function explain(summary: string, stderr: string): string {
  const messages = stderr
    .split('\n')
    .filter((line) => line.startsWith('remote:'))
    .map((line) => line.slice('remote:'.length).trim())
    .filter(Boolean);
  return [summary, ...messages].join('; ').slice(0, 1_000);
}
