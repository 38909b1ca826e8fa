import type { CheckRun } from './check-run.js';

const MAX_TEXT = 16_000;

export type FailedJob = { name: string; url: string; log: string | null };

/** Renders a failed run for the agent: names, links and the end of each log. Logs are output, not instructions. */
export function renderFailure(run: CheckRun, jobs: readonly FailedJob[]): string {
  const head = [
    `${run.name}: ${run.conclusion} on ${run.headSha} (attempt ${run.attempt})`,
    run.url,
    `run id ${run.id}`,
  ].join('\n');
  const room = Math.floor(MAX_TEXT / Math.max(1, jobs.length));
  const parts = jobs.map(({ name, url, log }) =>
    [`Job ${name}: ${url}`, log === null ? '(the log is not available)' : tail(log, room)].join('\n'),
  );
  return [head, ...parts].join('\n\n');
}

/** Keeps the end of the log, where the failure is, and notes how much was omitted. */
function tail(log: string, room: number): string {
  const text = log.trimEnd();
  if (text.length <= room) return text;
  return `[${text.length - room} earlier characters omitted]\n${text.slice(-room)}`;
}
