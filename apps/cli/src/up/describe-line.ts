import type { LogCode } from '@mergexo/core/basics';
import { countOf } from '@mergexo/core/text';
import type { RuntimeEventType } from '@mergexo/core/timeline';

/** A child's log line, rendered for people. */
export type RenderedLine = { event: string; text: string };

type Facts = Readonly<Partial<{ [name: string]: unknown }>>;
type Describe = (facts: Facts) => string;

/** Runtime events that `up` prints. Other events are in the logs, in `explain` and on the dashboard. */
const EVENTS: Partial<{ [type in RuntimeEventType]: Describe }> = {
  run_created: ({ flow }) => `started work (${asText(flow).replaceAll('_', ' ')})`,
  run_parked: ({ reason }) => `paused by a limit: ${asText(reason)}`,
  run_waiting: ({ reason }) => `waiting for a reply: ${asText(reason)}`,
  run_blocked: ({ reason }) => `blocked: ${asText(reason)}`,
  run_closed: ({ reason }) => `run ended: ${asText(reason)}`,
  intake_skipped: ({ reason }) => `skipped: ${asText(reason)}`,
  turn_begun: ({ kind, attempt, fallback_agent: agent }) =>
    `${agent === undefined ? 'agent' : `fallback ${asText(agent)}`} started ` +
    `(${asText(kind).replaceAll('_', ' ')}${Number(attempt) > 1 ? `, attempt ${attempt}` : ''})`,
  turn_completed: ({ kind, events, seconds }) =>
    `${typeof events === 'number' && events > 0 ? `answered ${countOf(events, 'comment')}` : `finished ${asText(kind).replaceAll('_', ' ')}`} ` +
    `in ${Math.round(Number(seconds))} s`,
  turn_failed: ({ reason }) => `attempt failed: ${asText(reason)}`,
  turn_blocked: ({ reason }) => `turn blocked: ${asText(reason)}`,
  pull_opened: ({ url }) => `pull request opened: ${asText(url)}`,
  pull_closed: ({ status }) => (status === 'merged' ? 'merged' : 'pull request closed'),
  pull_reopened: () => 'pull request reopened',
  pull_blocked: ({ reason }) => `blocked: ${asText(reason)}`,
  pull_unblocked: () => 'unblocked',
  takeover: ({ taken_over: taken }) => (taken ? 'a person took over' : 'a person handed the issue back'),
  agent_limit_reached: ({ adapter, until, reason }) =>
    `${asText(adapter)} is paused until ${asText(until)}: ${asText(reason)}`,
  worker_heartbeat_timeout: ({ worker, turns }) =>
    `worker ${asText(worker)} stopped responding${Number(turns) > 0 ? '; its turn is requeued' : ''}`,
  polling_paused: ({ seconds, reason }) => `polling paused for ${seconds} s: ${asText(reason)}`,
  outbox_paused: ({ seconds, reason }) => `posting paused for ${seconds} s: ${asText(reason)}`,
  state_rebuilt: () => 'state rebuilt from GitHub',
};

/** Other log lines that `up` prints. Warnings and errors are always printed. */
const NOTES: Partial<{ [code in LogCode]: Describe }> = {
  program_ready: ({ url }) => (url === undefined ? 'ready' : `ready: ${asText(url)}`),
  redis_up: ({ redis, version }) => `Redis is running: ${asText(redis)}, version ${asText(version)}`,
};

const READY: LogCode = 'program_ready';

export function describeLine(line: string): RenderedLine | undefined {
  const facts = parseLine(line);
  if (facts === undefined) return undefined;
  const code = asText(facts['code']);
  const describeEvent = findIn(EVENTS, code);
  if (describeEvent !== undefined) return { event: code, text: withIssue(facts, describeEvent(facts)) };
  const describeNote = findIn(NOTES, code);
  if (describeNote !== undefined) return { event: 'note', text: describeNote(facts) };
  const { level } = facts;
  if (level !== 'warn' && level !== 'error') return undefined;
  return { event: asText(level), text: withIssue(facts, withCause(asText(facts['message']), facts['err'])) };
}

/** True for the line that every program logs once it has started. */
export function isReadyLine(line: string): boolean {
  return parseLine(line)?.['code'] === READY;
}

/** Finds the reason for a failed start in the last output lines. Skips JSON log lines, which always differ. */
export function findReason(lastLines: readonly string[]): string | undefined {
  const lines = lastLines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('{'));
  const message = lines.findLast((line) => /^mergexo [\w-]+: /.test(line));
  if (message !== undefined) return message.replace(/^mergexo [\w-]+: /, '');
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
function withIssue(
  { repo_full_name: repo, issue_number: issue, pr_number: pr }: Facts,
  text: string,
): string {
  const prefix =
    typeof issue === 'number'
      ? `${asText(repo)}#${issue}${typeof pr === 'number' && pr !== issue ? ` (PR #${pr})` : ''}`
      : asText(repo);
  return prefix === '' ? text : `${prefix}: ${text}`;
}

function withCause(message: string, err: unknown): string {
  return isFacts(err) && typeof err['message'] === 'string' ? `${message}: ${err['message']}` : message;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : String(value);
}
