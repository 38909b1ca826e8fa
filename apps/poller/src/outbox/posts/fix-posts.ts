import { type Action, findingTargetOf } from '@mergexo/core/actions';
import type { Found, Post, PostContext, PostTools } from './post.js';

/** Says nothing. A thread that is closed is closed: doing it twice is harmless, and where it cannot be done nobody minds. */
export function createResolvePost({ github }: PostTools, action: Action, context: PostContext): Post {
  const { fullName } = context.repo.config;
  const finding = findingTargetOf(action);
  if (finding === undefined) throw new Error(`${action.target} is no finding`);
  const { commentId } = finding;
  return {
    token: '',
    find: async (): Promise<Found> => ({ kind: 'absent' }),
    async send() {
      await github.resolveReviewThread(fullName, action.thread, commentId);
      return { remoteId: commentId };
    },
  };
}
