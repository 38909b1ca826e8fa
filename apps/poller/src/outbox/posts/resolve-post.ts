import { type Action, parseTarget } from '@mergexo/core/actions';
import type { Found, Post, PostContext, PostTools } from './post.js';

/** Resolves the thread of a finding. `find` always returns `absent`, because a repeated request is harmless. */
export function createResolvePost({ github }: PostTools, action: Action, context: PostContext): Post {
  const { fullName } = context.repo.config;
  const target = parseTarget(action.target);
  if (target.kind !== 'finding') throw new Error(`${action.target} is not a finding`);
  const { commentId } = target;
  return {
    token: '',
    find: async (): Promise<Found> => ({ kind: 'absent' }),
    async send() {
      await github.resolveReviewThread(fullName, action.thread, commentId);
      return { remoteId: commentId };
    },
  };
}
