import type { CheckRun } from './check-run.js';

const MAX_TEXT = 16_000;

export type FailedJob = { name: string; url: string; log: string | null };

/** What the agent reads of a failed run: names, links and the end of each log. The text is output, not instruction. */
export function renderFailure(run: CheckRun, jobs: readonly FailedJob[]): string {
  const head = [
    `${run.name}: ${run.conclusion} on ${run.headSha} (attempt ${run.attempt})`,
    run.url,
    `run id ${run.id}`,
  ].join('\n');
  const room = Math.floor(MAX_TEXT / Math.max(1, jobs.length));
  const parts = jobs.map(({ name, url, log }) =>
    [`Job ${name}: ${url}`, log === null ? '(its log is not there)' : tail(log, room)].join('\n'),
  );
  return [head, ...parts].join('\n\n');
}

/** The end says what failed; what is left out is marked. */
function tail(log: string, room: number): string {
  const text = log.trimEnd();
  if (text.length <= room) return text;
  return `[${text.length - room} characters before this are left out]\n${text.slice(-room)}`;
}
