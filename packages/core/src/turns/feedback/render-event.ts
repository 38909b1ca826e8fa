import { type Part, quote, quoteOutput, quoteReplacement, quoteTail } from '../../prompts/part.js';
import { renderAuthor, renderPlace, renderVerdict } from '../../prompts/render-threads.js';
import { countOf } from '../../text/count-of.js';
import type { FeedbackEventContext } from './feedback-context.js';
import { readSuggestions } from './read-suggestions.js';

/** The lines of an outdated comment as they are now; null if the file no longer exists. `left` more lines follow. */
export type CurrentCode = { startLine: number; text: string; left: number } | null;

const NAMES: Record<FeedbackEventContext['kind'], string> = {
  review: 'NEW REVIEW COMMENT',
  issue: 'NEW COMMENT',
  review_summary: 'NEW REVIEW',
  ci: 'NEW FAILED RUN',
};

/** Renders a new event with the code that it is about. */
export function renderEvent(event: FeedbackEventContext, code: CurrentCode | undefined): Part[] {
  const { kind, id, rootId, path, diffHunk, reviewState, body, isResolved } = event;
  const name = [
    `${NAMES[kind]} ${id} ${renderAuthor(event)}`,
    ...(path === null ? [] : [`AT ${renderPlace({ ...event, path })}`]),
    ...(event.side === 'LEFT' ? ['(on the base side of the diff)'] : []),
    ...describeStart(event),
    ...describeOutdated(event, code),
    ...(rootId === null || rootId === id ? [] : [`IN THREAD ${rootId}`]),
    ...(isResolved ? ['(resolved)'] : []),
    ...renderVerdict(reviewState),
  ].join(' ');
  return [
    ...(diffHunk === null ? [] : [quoteDiff(id, diffHunk)]),
    ...(code ? [quoteCurrent(event, code)] : []),
    kind === 'ci' ? quoteOutput('event', name, body) : quote('event', name, body),
    ...quoteLog(event),
    ...listSuggestions(event).map(({ startLine, line, replacement }) => {
      const lines = renderLines({ startLine, line }).toUpperCase();
      const edit = replacement === '' ? `DELETE ${lines}` : `REPLACEMENT FOR ${lines}`;
      return quoteReplacement('code', `SUGGESTION IN COMMENT ${id}: ${edit} OF ${path}`, replacement);
    }),
  ];
}

/** A diff without its header was cut when the turn opened. The agent can read the rest with git. */
function quoteDiff(id: number, hunk: string): Part {
  const note = hunk.startsWith('@@') ? '' : ' (its last lines)';
  return quoteTail('code', `DIFF FOR COMMENT ${id}${note}`, hunk);
}

function quoteLog({ id, log, isLogCut }: FeedbackEventContext): Part[] {
  if (log === null) return [];
  const name = `LOG OF FAILED RUN ${id}${isLogCut ? ' WITHOUT ITS BEGINNING' : ''}`;
  return [{ ...quoteTail('history', name, log), max: MAX_LOG_END }];
}

/**
 * Maximum length of the log's end in the prompt. The event already quotes the relevant lines, and the whole log becomes
 * a file.
 */
const MAX_LOG_END = 500;

function describeStart({ startsAt }: FeedbackEventContext): string[] {
  if (startsAt === undefined) return [];
  const side = startsAt.side === 'LEFT' ? 'base' : 'head';
  return [`(from line ${startsAt.line} on the ${side} side of the diff)`];
}

function describeOutdated({ outdated }: FeedbackEventContext, code: CurrentCode | undefined): string[] {
  if (outdated === null) return [];
  const before = `(outdated: made on ${renderLines(outdated)} of commit ${outdated.sha.slice(0, 12)}`;
  return [code === null ? `${before}; the file no longer exists)` : `${before}, which have changed since)`];
}

function quoteCurrent(
  { id, path }: FeedbackEventContext,
  { startLine, text, left }: NonNullable<CurrentCode>,
): Part {
  const place = `${path}:${startLine}-${startLine + text.split('\n').length - 1}`;
  const rest = left === 0 ? '' : ` (${countOf(left, 'more line')} in the file)`;
  return quoteOutput('code', `CURRENT CODE FOR COMMENT ${id} AT ${place}${rest}`, text);
}

/** Maximum number of suggestions in a comment. More suggestions are alternatives, and only a person can choose one. */
const MAX_SUGGESTIONS = 3;

export type Suggestion = { startLine: number | null; line: number; replacement: string };

/**
 * Lists the edits that a comment suggests. An outdated suggestion has no lines to replace, and neither has one that
 * starts on the base side of the diff.
 */
export function listSuggestions(event: FeedbackEventContext): Suggestion[] {
  const { kind, startLine, startsAt, line, side, body } = event;
  if (kind !== 'review' || line === null || side === 'LEFT' || startsAt !== undefined) return [];
  return readSuggestions(body)
    .slice(0, MAX_SUGGESTIONS)
    .map((replacement) => ({ startLine, line, replacement }));
}

type Lines = { startLine: number | null; line: number };

function renderLines({ startLine, line }: Lines): string {
  return startLine === null ? `line ${line}` : `lines ${startLine}-${line}`;
}
