import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoConfig } from '@mergexo/config';
import { Failure, MERGEXO_CLI, UsageError } from '@mergexo/core/basics';
import { type EventKind, readRemarkTime } from '@mergexo/core/feedback';
import { listFlowLabels } from '@mergexo/core/flows';
import { renderSkipReason } from '@mergexo/core/reasons';
import { isLiveRun } from '@mergexo/core/runs';
import { countOf } from '@mergexo/core/text';
import { describeEvent, formatTime, toReadable } from '@mergexo/core/timeline';
import { attemptOf } from '@mergexo/core/turns';
import {
  type CommentStatus,
  type FeedbackEvent,
  listReceipts,
  type Repository,
  type Run,
  readCommentStatus,
  type Snapshot,
  type State,
} from '@mergexo/state';
import type { Context } from '../context.js';
import { describeReceipt, renderReceipts } from '../describe-receipt.js';
import { describeStatus, describeWait, readSituation } from '../describe-wait.js';
import { toLine } from '../printable.js';
import { findRepositories, nameOf, readFacts } from '../read-state.js';

export type ExplainOptions = { repo?: string };

const SHOWN_EVENTS = 20;
const KIND_NAMES: Readonly<Record<EventKind, string>> = {
  issue: 'comment',
  review: 'line comment',
  review_summary: 'review',
  ci: 'failed check',
};

/** Shows the history of an issue or pull request. Safe while a poller runs, because it only reads. */
export function explain(context: Context, name: string, options: ExplainOptions): void {
  const { asked, repo } = parseName(name);
  const now = Date.now();
  const histories = readFacts(context, ({ state, sqlite }, { config, paths }) => {
    const repositories = findRepositories(state, repo ?? options.repo);
    if (repositories.length === 0)
      throw new Failure(
        'not-found',
        `The poller has not polled any repository yet. Start it with \`${MERGEXO_CLI} up\`.`,
      );
    const about = { asked, now, logs: join(paths.logs, 'turns') };
    const all = repositories.map((repository) => readHistory({ state, sqlite }, repository, about));
    const known = all.filter(
      ({ runs, comments, events }) => runs.length + comments.length + events.length > 0,
    );
    if (known.length > 0) return known;
    throw new Failure('not-found', describeUnknown(config.repos, repositories.map(nameOf), asked));
  });
  const { verbose } = context;
  context.print({ ok: true, issue: asked, stories: histories }, () =>
    histories.flatMap((history) => render(history, verbose)),
  );
}

/** Accepts `4`, `#4`, or `owner/name#4` as other commands print it. */
function parseName(text: string): { asked: number; repo: string | undefined } {
  const [, repo, digits] = /^(?:([\w.-]+\/[\w.-]+)?#)?([1-9]\d{0,8})$/.exec(text) ?? [];
  if (digits === undefined)
    throw new UsageError(`Pass the number of an issue or a pull request, not ${JSON.stringify(text)}.`);
  return { asked: Number(digits), repo };
}

type History = ReturnType<typeof readHistory>;
/** `logs` is the directory where workers on this machine keep one log per attempt. */
type About = { asked: number; now: number; logs: string };

/**
 * Reads the history of a number. Issues and pull requests share one number sequence, so a number that is not one of
 * our pull requests is an issue.
 */
function readHistory({ state, sqlite }: Snapshot, repository: Repository, about: About) {
  const { asked } = about;
  const issue = state.readPull(repository.id, asked)?.issueNumber ?? asked;
  const runs = state.listRunsOfIssue(repository.id, issue);
  const threads = [...new Set([issue, ...runs.flatMap(({ prNumber }) => prNumber ?? [])])];
  return {
    repo: nameOf(repository),
    issue,
    title: runs[0]?.issueTitle ?? null,
    runs: runs.map((run) => describeRun(state, run, about)),
    receipts: listReceipts({ sqlite }, { repoId: repository.id, issueNumber: issue }).map(describeReceipt),
    comments: threads
      .flatMap((thread) => state.listEventsOfThread(repository.id, thread))
      .map((event) => describeComment(state, event))
      .sort((a, b) => Date.parse(a.updated_at) - Date.parse(b.updated_at)),
    events: state
      .listEventsOfIssue(repository.id, issue)
      .map(({ createdAt, type, payload }) => ({ at: new Date(createdAt).toISOString(), type, payload })),
  };
}

/**
 * Explains that the issue is unknown. Lists the expected labels, because a missing or misspelled label is the usual
 * cause.
 */
function describeUnknown(configured: readonly RepoConfig[], names: readonly string[], asked: number): string {
  const labels = configured
    .filter(({ fullName }) => names.some((name) => name.toLowerCase() === fullName.toLowerCase()))
    .flatMap(({ labels }) => listFlowLabels(labels).map(({ name }) => name));
  if (labels.length === 0) return `The config no longer contains ${names.join(' or ')}.`;
  return (
    `MergeXO has no record of ${names.map((name) => `${name}#${asked}`).join(' or ')}. ` +
    `Check that the issue is open and has one of these labels, spelled exactly as shown: ${[...new Set(labels)].join(', ')}. MergeXO then starts work on it at the next poll.`
  );
}

function describeRun(state: State, run: Run, { now, logs }: About) {
  const situation = readSituation(state, run, now);
  const { flow, ordinal, status, error, branch, prNumber, repoId, schedule } = run;
  const head = prNumber === null ? null : (state.readPull(repoId, prNumber)?.acceptedHeadSha ?? null);
  return {
    flow,
    ordinal,
    status,
    status_text: describeStatus(situation),
    waits_for: isLiveRun(run) ? describeWait(situation) : null,
    reason: error,
    branch,
    pr: prNumber,
    accepted_head_sha: head,
    log: findLog(state, run, logs),
    schedule,
  };
}

/** Returns the path to the log of the agent's latest attempt, or null if no worker on this machine wrote that log. */
function findLog(state: State, { id }: Run, logs: string): string | null {
  const turn = state.listTurnsOfRun(id).findLast(({ begins }) => begins.length > 0);
  if (turn === undefined) return null;
  const path = join(logs, `${turn.turnKey}-${attemptOf(turn)}.jsonl`);
  return existsSync(path) ? path : null;
}

function describeComment(state: State, event: FeedbackEvent) {
  const { prNumber, kind, commentId, payload, seenAt } = event;
  return {
    thread: prNumber,
    kind,
    id: commentId,
    author: payload.author.login,
    updated_at: new Date(readRemarkTime(payload) ?? seenAt).toISOString(),
    url: payload.url,
    body: payload.body,
    ...describeCommentStatus(readCommentStatus(state, event)),
  };
}

function describeCommentStatus(status: CommentStatus): {
  state: CommentStatus['kind'];
  reason: string | null;
  skip_code?: string;
} {
  const { kind: state } = status;
  if (status.kind === 'skipped')
    return { state, reason: renderSkipReason(status.reason), skip_code: status.reason.code };
  if (status.kind === 'redirected') return { state, reason: 'to the pull request' };
  if (status.kind === 'in_progress' && status.turnState !== null)
    return { state, reason: `turn state: ${status.turnState}` };
  return { state, reason: null };
}

function render(history: History, verbose: boolean): string[] {
  const { repo, issue, title, runs, receipts, comments, events } = history;
  return [
    `${repo}#${issue}${title ? `  ${toLine(title, 120)}` : ''}`,
    ...runs
      .flatMap(
        ({ flow, status, status_text: shown, waits_for: waits, reason, branch, pr, log, schedule }) => {
          const location = pr === null ? `branch ${branch}` : `pull request #${pr}`;
          const because = reason === null ? '' : `, because ${reason}`;
          const held = status === 'ready' && schedule !== null ? renderSchedule(schedule) : '';
          return [
            toLine(toReadable(`${flow}: ${shown}, ${location}${because}${held}`), 1_000),
            ...(waits === null ? [] : [`  waiting for ${toLine(toReadable(waits), 500)}`]),
            ...(log === null ? [] : [`  log of the last attempt: ${log}`]),
          ];
        },
      )
      .map(indent),
    ...renderReceipts(receipts).map(indent),
    ...renderComments(comments, verbose),
    ...renderEvents(events, verbose),
  ];
}

function renderEvents(events: History['events'], verbose: boolean): string[] {
  if (events.length === 0) return [];
  const shown = events.slice(verbose ? 0 : -SHOWN_EVENTS);
  const hidden = events.length - shown.length;
  return [
    '',
    '  Timeline:',
    ...(hidden === 0 ? [] : [indent(`  … ${countOf(hidden, 'earlier event')}. Use --verbose to show all`)]),
    ...shown.map((event) => indent(`  ${renderEvent(event)}`)),
  ];
}

function renderEvent({ at, type, payload }: History['events'][number]): string {
  const { name, details } = describeEvent(type, payload);
  const facts = details.map(({ key, value }) => `${key} ${value}`).join(', ');
  return toLine(`${formatTime(Date.parse(at))}  ${name}${facts === '' ? '' : ` (${facts})`}`, 500);
}

function renderSchedule({ score, risk, reason }: NonNullable<Run['schedule']>): string {
  return `, ${reason ?? 'starts next'} (score ${score}, conflict risk ${risk})`;
}

function renderComments(comments: History['comments'], verbose: boolean): string[] {
  // Hides reviews without a body, because their line comments are listed separately.
  const written = comments.filter(({ body }) => verbose || body.trim() !== '');
  const shown = written.filter(({ skip_code: code }) => verbose || code !== 'ours');
  const hidden = written.length - shown.length;
  if (comments.length === 0) return [];
  return [
    '',
    '  Comments:',
    ...shown.map(({ thread, kind, author, body, updated_at: time, state, reason }) => {
      const status = reason === null ? state : `${state}: ${reason}`;
      const quoted = `"${toLine(toReadable(body), 60)}"`;
      const columns = [
        `#${thread}`,
        formatTime(Date.parse(time)),
        KIND_NAMES[kind],
        toLine(author, 60),
        quoted,
      ];
      return indent(`  ${columns.join('  ')}  ${toLine(status)}`);
    }),
    ...(hidden === 0
      ? []
      : [
          `    (${countOf(hidden, 'comment')} by MergeXO hidden. Use --verbose to show ${hidden === 1 ? 'it' : 'them'}.)`,
        ]),
  ];
}

function indent(line: string): string {
  return `  ${line}`;
}
