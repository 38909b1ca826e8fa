import type { CheckRun } from './check-run.js';
import { excerptLog } from './excerpt-log.js';
import { findFailedTests } from './find-failed-tests.js';
import { type LogLine, readLog } from './read-log.js';

/** A check's message about one line of a file. */
export type Annotation = { path: string; line: number; level: string; message: string };

export type FailedJob = {
  name: string;
  url: string;
  /** The names of the steps that failed. */
  steps: readonly string[];
  annotations: readonly Annotation[];
  /** Null if GitHub no longer has the log. */
  log: string | null;
};

/**
 * `log` is the whole log of all failed jobs, without timestamps and colors. Null if there is no log, or if the summary
 * contains all of it.
 */
export type Failure = { summary: string; log: string | null };

const MAX_SUMMARY = 16_000;
/** Maximum length of the log, which is stored with the event and becomes a file for the agent. */
const MAX_LOG = 200_000;
const MAX_ANNOTATIONS = 20;
const MAX_MESSAGE = 400;

/**
 * Renders a failed run for the agent: the failed steps and tests, the annotations, and the relevant lines of the log.
 * All of this text is program output, not instructions.
 */
export function renderFailure(
  run: CheckRun,
  jobs: readonly FailedJob[],
  annotations: readonly Annotation[] = [],
): Failure {
  const head = [
    `${run.name}: ${run.conclusion} on ${run.headSha} (attempt ${run.attempt})`,
    run.url,
    `run id ${run.id}`,
    ...renderAnnotations(annotations),
  ].join('\n');
  const logs = jobs.map(({ log }) => (log === null ? null : readLog(log)));
  const room = Math.floor(MAX_SUMMARY / Math.max(1, jobs.length));
  const parts = jobs.map((job, index) => renderJob(job, logs[index] ?? null, room));
  const summary = [head, ...parts.map(({ text }) => text)].join('\n\n');
  const isComplete = parts.every(({ isWhole }) => isWhole) && summary.length <= 2 * MAX_SUMMARY;
  return { summary: summary.slice(0, 2 * MAX_SUMMARY), log: isComplete ? null : joinLogs(jobs, logs) };
}

type JobText = { text: string; isWhole: boolean };

function renderJob(job: FailedJob, lines: readonly LogLine[] | null, room: number): JobText {
  const { name, url, steps, annotations } = job;
  const facts = [
    `Job ${name}: ${url}`,
    ...(steps.length === 0 ? [] : [`Failed steps: ${steps.join(', ')}`]),
    ...renderTests(lines === null ? [] : findFailedTests(lines)),
    ...renderAnnotations(annotations),
  ].join('\n');
  if (lines === null) return { text: `${facts}\n(the log is not available)`, isWhole: true };
  const excerpt = excerptLog(lines, Math.max(1_000, room - facts.length));
  const isWhole = excerpt === joinLines(lines);
  return { text: `${facts}\n${isWhole ? 'Log' : 'Log, shortened'}:\n${excerpt}`, isWhole };
}

function joinLines(lines: readonly LogLine[]): string {
  return lines.map(({ text }) => text).join('\n');
}

function renderTests(names: readonly string[]): string[] {
  return names.length === 0 ? [] : ['Failed tests found in the log:', ...names.map((name) => `- ${name}`)];
}

function renderAnnotations(annotations: readonly Annotation[]): string[] {
  const shown = annotations
    .filter(({ message }) => !EMPTY.test(message))
    .slice(0, MAX_ANNOTATIONS)
    .map(({ path, line, level, message }) => `- ${path}:${line} (${level}): ${toLine(message)}`);
  return shown.length === 0 ? [] : ['Annotations:', ...shown];
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
function joinLogs(jobs: readonly FailedJob[], logs: readonly (LogLine[] | null)[]): string | null {
  const texts = logs.flatMap((lines, index) =>
    lines === null ? [] : [{ name: jobs[index]?.name ?? '', text: joinLines(lines) }],
  );
  if (texts.length === 0) return null;
  const room = Math.floor(MAX_LOG / texts.length);
  return texts.map(({ name, text }) => `Log of job ${name}:\n${text.slice(-room)}`).join('\n\n');
}
