import { createHash } from 'node:crypto';
import type { Remark } from './remark.js';

/**
 * Builds the key of an event, which is one version of a remark: `{thread}:{kind}:{comment_id}:{updated_at}`.
 * `updatedAt` is GitHub's time. If that time cannot distinguish two versions, `nameAttempt`, `nameConflict` or
 * `addTextDigest` replaces it.
 */
export function buildEventKey(remark: Pick<Remark, 'thread' | 'kind' | 'commentId' | 'updatedAt'>): string {
  const { thread, kind, commentId, updatedAt } = remark;
  return `${thread}:${kind}:${commentId}:${updatedAt}`;
}

/** Replaces `updatedAt` for a failed check. Includes the head, because a commit status keeps its id on every head. */
export function nameAttempt({ headSha, attempt }: { headSha: string; attempt: number }): string {
  return `${headSha.slice(0, 12)}.attempt-${attempt}`;
}

/** Replaces `updatedAt` for a conflict with the base branch. */
export function nameConflict(headSha: string): string {
  return `conflict-${headSha}`;
}

/** Distinguishes an edit within the same second. `version` is `updatedAt` or the whole event key. */
export function addTextDigest(version: string, body: string): string {
  return `${version}+${createHash('sha256').update(body).digest('hex').slice(0, 8)}`;
}

/** Returns the part of `updatedAt` that GitHub sent. */
export function readGitHubTime({ updatedAt }: Pick<Remark, 'updatedAt'>): string {
  return updatedAt.split('+')[0] ?? '';
}

/** Returns the time of a remark in milliseconds. Undefined if neither field is a time, as for a conflict. */
export function readRemarkTime(remark: Pick<Remark, 'updatedAt' | 'createdAt'>): number | undefined {
  return [readGitHubTime(remark), remark.createdAt].map(toTime).find((time) => time !== undefined);
}

function toTime(text: string): number | undefined {
  return /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)) ? Date.parse(text) : undefined;
}

/** Renders the answered keys for the signed line of a post. Omits the thread, because the post is in that thread. */
export function renderAnsweredKeys(keys: readonly string[]): string {
  return keys.map((key) => key.slice(key.indexOf(':') + 1)).join(',');
}

/** Parses the text that `renderAnsweredKeys` returns. */
export function parseAnsweredKeys(thread: number, text: string | undefined): string[] {
  return text === undefined ? [] : text.split(',').map((rest) => `${thread}:${rest}`);
}

/**
 * True if MergeXO answered exactly this text. Versions of a comment from the same second, and all versions of a review,
 * have the same time, so the time alone does not identify the text.
 */
export function isAnsweredBy(
  answered: readonly string[],
  { eventKey, body }: { eventKey: string; body: string },
): boolean {
  if (answered.includes(addTextDigest(eventKey, body))) return true;
  return answered.includes(eventKey) && !answered.some((key) => key.startsWith(`${eventKey}+`));
}
