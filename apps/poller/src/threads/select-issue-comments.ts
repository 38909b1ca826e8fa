import { parseCommand } from '@mergexo/core/commands';
import type { Remark } from '@mergexo/core/feedback';
import { verifyBody } from '@mergexo/core/outbox';
import { findDistrust } from '@mergexo/core/runs';
import type { IssueComment } from '@mergexo/github';
import type { Repo } from '../tools.js';
import type { RemarkTools } from './record-remark.js';

/** Selects the comments on an issue that the agent may read: by allowed people, not ours, not made during a takeover. */
export function selectIssueComments(
  { keys, state }: Pick<RemarkTools, 'keys' | 'state'>,
  repo: Repo,
  comments: readonly IssueComment[],
): IssueComment[] {
  const counts = ({ thread, id, author, body }: IssueComment): boolean => {
    const known = state.readLastEventOfComment(repo.id, { thread, kind: 'issue', commentId: id });
    return (
      findDistrust(author, repo.config.allowedUsers) === undefined &&
      verifyBody(body, { repoId: repo.id, thread: String(thread) }, keys) === undefined &&
      known?.skipReason?.code !== 'taken_over'
    );
  };
  return comments
    .filter(counts)
    .map((comment) => ({ ...comment, body: withoutCommands(comment.body) }))
    .filter(({ body }) => body !== '')
    .sort((a, b) => a.id - b.id);
}

/**
 * Returns the recorded comments on an issue that the agent may read, in their latest versions. Sends no request: the
 * first turn of a run records all comments, and the feed records later ones.
 */
export function readIssueComments(
  { state }: Pick<RemarkTools, 'state'>,
  repo: Repo,
  issueNumber: number,
): (Remark & { id: number })[] {
  const events = state.listEventsOfThread(repo.id, issueNumber).filter(({ kind }) => kind === 'issue');
  const latest = new Map(events.map((event) => [event.commentId, event]));
  return [...latest.values()]
    .filter(({ skipReason }) => !HIDDEN.has(skipReason?.code ?? ''))
    .filter(({ payload }) => findDistrust(payload.author, repo.config.allowedUsers) === undefined)
    .map(({ commentId: id, payload }) => ({ ...payload, id, body: withoutCommands(payload.body) }))
    .filter(({ body }) => body !== '')
    .sort((a, b) => a.id - b.id);
}

const HIDDEN: ReadonlySet<string> = new Set(['ours', 'copy_of_ours', 'taken_over', 'deleted']);

/** Removes the command, which MergeXO handles, and keeps the text around it for the agent. */
export function withoutCommands(body: string): string {
  return parseCommand(body)?.rest ?? body;
}
