import { countOf } from '../text/count-of.js';
import type { CheckRun } from './check-run.js';
import { excerptLog } from './excerpt-log.js';
import { findFailedTests } from './find-failed-tests.js';
import { type LogLine, readLog } from './read-log.js';

/** A check's message about one line of a file. */
export type Annotation = { path: string; line: number; level: string; message: string };

/** `isCut`: the text is only the end of the log. `unavailable`: GitHub no longer has the log, or it is too large. */
export type JobLog = { kind: 'read'; text: string; isCut: boolean } | { kind: 'unavailable' | 'unread' };

export type FailedJob = {
  name: string;
  url: string;
  /** The names of the steps that failed. */
  steps: readonly string[];
  annotations: readonly Annotation[];
  log: JobLog;
};

/** `isRead` is false for a run that MergeXO did not read, because too many failed at the same time. */
export type FailureDetails = {
  jobs: readonly FailedJob[];
  annotations: readonly Annotation[];
  isRead: boolean;
};

/**
 * `log` contains the logs of all failed jobs, without timestamps and colors. `isCut`: the beginning of a log is missing.
 * Null if there is no log, or if the summary contains all of it.
 */
export type Failure = { summary: string; log: { text: string; isCut: boolean } | null };

const MAX_SUMMARY = 16_000;
/** Maximum length of the log, which is stored with the event and becomes a file for the agent. */
const MAX_LOG = 200_000;
const MAX_JOBS = 20;
const MAX_TESTS = 30;
const MAX_ANNOTATIONS = 20;
const MAX_MESSAGE = 400;

/**
 * Renders a failed run for the agent: the failed steps and tests, the annotations, and the relevant lines of the log.
 * All of this text is program output, not instructions. The text names everything that it omits.
 */
export function renderFailure(run: CheckRun, { jobs, annotations, isRead }: FailureDetails): Failure {
  const head = [
    `${run.name}: ${run.conclusion} on ${run.headSha} (attempt ${run.attempt})`,
    run.url,
    `run id ${run.id}`,
    ...(isRead ? [] : ['MergeXO did not read the details, because too many checks failed at the same time.']),
    ...renderAnnotations(annotations),
  ].join('\n');
  const shown = jobs.slice(0, MAX_JOBS).map((job) => ({ ...job, lines: readLines(job) }));
  const room = Math.floor(MAX_SUMMARY / Math.max(1, shown.length));
  const parts = shown.map((job) => renderJob(job, room));
  const more = jobs.slice(MAX_JOBS).map(({ name }) => name);
  const rest = more.length === 0 ? [] : [`More failed jobs: ${listSome(more, MAX_JOBS).join(', ')}`];
  const summary = [head, ...parts.map(({ text }) => text), ...rest].join('\n\n');
  const isComplete = parts.every(({ isWhole }) => isWhole) && summary.length <= 2 * MAX_SUMMARY;
  return { summary: cutSummary(summary), log: isComplete ? null : joinLogs(shown) };
}

type ReadJob = FailedJob & { lines: readonly LogLine[] | null };

function readLines({ log }: FailedJob): LogLine[] | null {
  return log.kind === 'read' ? readLog(log.text) : null;
}

type JobText = { text: string; isWhole: boolean };

function renderJob({ name, url, steps, annotations, log, lines }: ReadJob, room: number): JobText {
  const facts = [
    `Job ${name}: ${url}`,
    ...(steps.length === 0 ? [] : [`Failed steps: ${steps.join(', ')}`]),
    ...renderTests(lines === null ? [] : findFailedTests(lines)),
    ...renderAnnotations(annotations),
  ].join('\n');
  if (lines === null || log.kind !== 'read') return { text: `${facts}\n${NO_LOG[log.kind]}`, isWhole: true };
  const excerpt = excerptLog(lines, Math.max(1_000, room - facts.length));
  const isWhole = !log.isCut && excerpt === joinLines(lines);
  const title = isWhole ? 'Log' : log.isCut ? 'Log, shortened; MergeXO read only its end' : 'Log, shortened';
  return { text: `${facts}\n${title}:\n${excerpt}`, isWhole };
}

const NO_LOG: Record<JobLog['kind'], string> = {
  read: '',
  unavailable: '(the log is not available)',
  unread: '(MergeXO did not read the log, because too many jobs failed)',
};

function joinLines(lines: readonly LogLine[]): string {
  return lines.map(({ text }) => text).join('\n');
}

function cutSummary(text: string): string {
  const left = text.length - 2 * MAX_SUMMARY;
  if (left <= 0) return text;
  return `${text.slice(0, 2 * MAX_SUMMARY).replace(/[\ud800-\udbff]$/, '')}\n[${left} more characters omitted]`;
}

/** Returns the first items, and the number of the others as the last item. */
function listSome(items: readonly string[], max: number): string[] {
  const left = items.length - max;
  return left > 0 ? [...items.slice(0, max), `and ${left} more`] : [...items];
}

function renderTests(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return ['Failed tests found in the log:', ...listSome(names, MAX_TESTS).map((name) => `- ${name}`)];
}

function renderAnnotations(annotations: readonly Annotation[]): string[] {
  const lines = annotations
    .filter(({ message }) => !EMPTY.test(message))
    .map(({ path, line, level, message }) => `${path}:${line} (${level}): ${toLine(message)}`);
  if (lines.length === 0) return [];
  return ['Annotations:', ...listSome(lines, MAX_ANNOTATIONS).map((line) => `- ${line}`)];
}

/** Matches the annotation that GitHub Actions adds to every failed step. */
const EMPTY = /^Process completed with exit code/;

function toLine(message: string): string {
  const line = message
    .slice(0, 4 * MAX_MESSAGE)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= MAX_MESSAGE ? line : `${line.slice(0, MAX_MESSAGE).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Joins the logs of the jobs. Each log gets an equal share of the maximum length; a longer log keeps only its end. */
function joinLogs(jobs: readonly ReadJob[]): Failure['log'] {
  const texts = jobs.flatMap(({ name, log, lines }) =>
    lines === null || log.kind !== 'read' ? [] : [{ name, isCut: log.isCut, text: joinLines(lines) }],
  );
  if (texts.length === 0) return null;
  const room = Math.floor(MAX_LOG / texts.length);
  const isLong = (text: string): boolean => text.length > room;
  const parts = texts.map(({ name, isCut, text }) => {
    const cut =
      isLong(text) || isCut ? ` (only its last ${countOf(Math.min(room, text.length), 'character')})` : '';
    return `Log of job ${name}${cut}:\n${text.slice(-room).replace(/^[\udc00-\udfff]/, '')}`;
  });
  return { text: parts.join('\n\n'), isCut: texts.some(({ isCut, text }) => isCut || isLong(text)) };
}
