import { findDistrust } from '@mergexo/core/runs';
import type { ReviewContext } from '@mergexo/core/turns';
import type { FeedbackEvent, Pull } from '@mergexo/state';
import type { Records, Repo } from '../tools.js';

/**
 * True if the login is allowed. A stored context has only logins of people, so the account id and type are
 * placeholders.
 */
export function isAllowedLogin({ config }: Repo, login: string): boolean {
  return findDistrust({ id: 0, login, type: 'User' }, config.allowedUsers) === undefined;
}

/** Hides the text of an issue whose author was removed from `allowed_users`, because the author can still edit it. */
export function hideDistrusted(repo: Repo, issue: ReviewContext['issue']): ReviewContext['issue'] {
  if (isAllowedLogin(repo, issue.author)) return issue;
  const body = "MergeXO omits this issue's text: its author is not in `allowed_users`.";
  return { ...issue, title: '(omitted)', body };
}

type Select = (kind: string, id: number) => boolean;

/** Selects our own comments and those by allowed users. The agent must not read any other text, even as context. */
export function selectTrusted(tools: Pick<Records, 'state'>, repo: Repo, pull: Pull): Select {
  return select(tools, pull, (event) => event.skipReason?.code === 'ours' || isByPeople(repo, event));
}

/** Selects comments by allowed users, excluding our own. */
export function selectPeople(tools: Pick<Records, 'state'>, repo: Repo, pull: Pull): Select {
  return select(tools, pull, (event) => isByPeople(repo, event));
}

function isByPeople({ config }: Repo, { payload, skipReason, turnKey }: FeedbackEvent): boolean {
  if (skipReason !== null && (turnKey === null || skipReason.code === 'ours')) return false;
  return findDistrust(payload.author, config.allowedUsers) === undefined;
}

function select(
  { state }: Pick<Records, 'state'>,
  { repoId, prNumber }: Pull,
  isChosen: (event: FeedbackEvent) => boolean,
): Select {
  const chosen = state.listEventsOfThread(repoId, prNumber).filter(isChosen);
  const known = new Set(chosen.map(({ payload }) => `${payload.kind}:${payload.commentId}`));
  return (kind, id) => known.has(`${kind}:${id}`);
}
