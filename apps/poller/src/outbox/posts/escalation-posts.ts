import type { Action } from '@mergexo/core/actions';
import { hasLabel } from '@mergexo/core/text';
import type { Found, Post, PostContext, PostTools } from './post.js';

/** Adds or removes a label. */
export function createLabelPost(
  { github }: PostTools,
  action: Action<'escalation_label' | 'escalation_unlabel'>,
  context: PostContext,
): Post {
  const isWanted = action.kind === 'escalation_label';
  const { fullName } = context.repo.config;
  const { label } = action.payload;
  return {
    token: '',
    async find(): Promise<Found> {
      const { labels } = await github.fetchIssue(fullName, action.thread);
      return hasLabel(labels, label) === isWanted
        ? { kind: 'ours', remoteId: action.thread }
        : { kind: 'absent' };
    },
    async send() {
      if (isWanted) await github.addLabels(fullName, action.thread, [label]);
      else await github.removeLabel(fullName, action.thread, label);
      return { remoteId: action.thread };
    },
  };
}

export function createRequestPost(
  { github }: PostTools,
  action: Action<'review_request'>,
  context: PostContext,
): Post {
  const { fullName } = context.repo.config;
  const { login } = action.payload;
  return {
    token: '',
    async find(): Promise<Found> {
      const asked = await github.fetchRequestedReviewers(fullName, action.thread);
      const isAsked = asked.some((name) => name.toLowerCase() === login.toLowerCase());
      return isAsked ? { kind: 'ours', remoteId: action.thread } : { kind: 'absent' };
    },
    async send() {
      await github.requestReviewers(fullName, action.thread, [login]);
      return { remoteId: action.thread };
    },
  };
}
