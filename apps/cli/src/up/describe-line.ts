import type { LogCode } from '@mergexo/core/basics';
import { countOf } from '@mergexo/core/text';
import type { RuntimeEventType } from '@mergexo/core/timeline';

/** A child's log line, rendered for people. */
export type Told = { event: string; words: string };

type Facts = Readonly<Partial<{ [name: string]: unknown }>>;
type Describe = (facts: Facts) => string;

/** Runtime events that `up` prints. Other events are in the logs, in `explain` and on the dashboard. */
const EVENTS: Partial<{ [type in RuntimeEventType]: Describe }> = {
  run_created: ({ flow }) => `started work (${text(flow).replaceAll('_', ' ')})`,
  run_parked: ({ reason }) => `paused by a limit: ${text(reason)}`,
  run_waiting: ({ reason }) => `waiting for a reply: ${text(reason)}`,
  run_blocked: ({ reason }) => `blocked: ${text(reason)}`,
  run_closed: ({ reason }) => `run ended: ${text(reason)}`,
  intake_skipped: ({ reason }) => `skipped: ${text(reason)}`,
  turn_begun: ({ kind, attempt }) =>
    `agent started (${text(kind).replaceAll('_', ' ')}${Number(attempt) > 1 ? `, attempt ${attempt}` : ''})`,
  turn_completed: ({ kind, events, seconds }) =>
    `${typeof events === 'number' && events > 0 ? `answered ${countOf(events, 'comment')}` : `finished ${text(kind).replaceAll('_', ' ')}`} ` +
    `in ${Math.round(Number(seconds))} s`,
  turn_failed: ({ reason }) => `attempt failed: ${text(reason)}`,
  turn_blocked: ({ reason }) => `turn blocked: ${text(reason)}`,
  pull_opened: ({ url }) => `pull request opened: ${text(url)}`,
  pull_closed: ({ status }) => (status === 'merged' ? 'merged' : 'pull request closed'),
  pull_reopened: () => 'pull request reopened',
  pull_blocked: ({ reason }) => `blocked: ${text(reason)}`,
  pull_unblocked: () => 'unblocked',
  takeover: ({ taken_over: taken }) => (taken ? 'a person took over' : 'a person handed the issue back'),
  agent_limit_reached: ({ adapter, until, reason }) =>
    `${text(adapter)} is paused until ${text(until)}: ${text(reason)}`,
  worker_heartbeat_timeout: ({ worker, turns }) =>
    `worker ${text(worker)} stopped responding${Number(turns) > 0 ? '; its turn is requeued' : ''}`,
  polling_paused: ({ seconds, reason }) => `polling paused for ${seconds} s: ${text(reason)}`,
  outbox_paused: ({ seconds, reason }) => `posting paused for ${seconds} s: ${text(reason)}`,
  state_rebuilt: () => 'state rebuilt from GitHub',
};

/** Other log lines that `up` prints. Warnings and errors are always printed. */
const NOTES: Partial<{ [code in LogCode]: Describe }> = {
  program_ready: ({ url }) => (url === undefined ? 'ready' : `ready: ${text(url)}`),
  redis_up: ({ redis, version }) => `Redis is running: ${text(redis)}, version ${text(version)}`,
};

const READY: LogCode = 'program_ready';

export function describeLine(line: string): Told | undefined {
  const facts = parseLine(line);
  if (facts === undefined) return undefined;
  const code = text(facts['code']);
  const describeEvent = findIn(EVENTS, code);
  if (describeEvent !== undefined) return { event: code, words: withPlace(facts, describeEvent(facts)) };
  const describeNote = findIn(NOTES, code);
  if (describeNote !== undefined) return { event: 'note', words: describeNote(facts) };
  const { level } = facts;
  if (level !== 'warn' && level !== 'error') return undefined;
  return { event: text(level), words: withPlace(facts, withCause(text(facts['message']), facts['err'])) };
}

/** True for the line that every program logs once it has started. */
export function isReadyLine(line: string): boolean {
  return parseLine(line)?.['code'] === READY;
}

/** Finds the reason for a failed start in the last output lines. Skips JSON log lines, which always differ. */
export function findReason(lastLines: readonly string[]): string | undefined {
  const lines = lastLines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('{'));
  const complaint = lines.findLast((line) => /^mergexo [\w-]+: /.test(line));
  if (complaint !== undefined) return complaint.replace(/^mergexo [\w-]+: /, '');
  const error = lines.findLast((line) => /^(?:\w*Error|Failure)\b.*: /.test(line));
  return error ?? lines.at(-1);
}

function findIn(table: Partial<{ [name: string]: Describe }>, name: string): Describe | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function parseLine(line: string): Facts | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isFacts(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFacts(value: unknown): value is Facts {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Adds the prefix `alice/app#7 (PR #9): ` if the line belongs to an issue. */
function withPlace(
  { repo_full_name: repo, issue_number: issue, pr_number: pr }: Facts,
  words: string,
): string {
  const place =
    typeof issue === 'number'
      ? `${text(repo)}#${issue}${typeof pr === 'number' && pr !== issue ? ` (PR #${pr})` : ''}`
      : text(repo);
  return place === '' ? words : `${place}: ${words}`;
}

function withCause(message: string, err: unknown): string {
  return isFacts(err) && typeof err['message'] === 'string' ? `${message}: ${err['message']}` : message;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : String(value);
}
