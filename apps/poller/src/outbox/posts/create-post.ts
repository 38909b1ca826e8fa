import { ACTION_TRAITS, type Action } from '@mergexo/core/actions';
import { createCommentPost, createReplyPost } from './comment-posts.js';
import { createLabelPost, createRequestPost } from './escalation-posts.js';
import type { Post, PostContext, PostTools } from './post.js';
import { createBodyPost, createPullPost, createRerunPost } from './pull-posts.js';
import { createResolvePost } from './resolve-post.js';
import { createReviewPost } from './review-posts.js';
import { createStatusPost } from './status-posts.js';

/** Actions that have no case of their own in `createPost` are comments, in the conversation or on a line. */
const COMMENTS = { issue_comment: createCommentPost, review_comment: createReplyPost } as const;

export function createPost(tools: PostTools, action: Action, context: PostContext): Post {
  switch (action.kind) {
    case 'open_pull':
      return createPullPost(tools, action, context);
    case 'update_body':
      return createBodyPost(tools, action, context);
    case 'rerun_checks':
      return createRerunPost(tools, action, context);
    case 'post_review':
      return createReviewPost(tools, action, context);
    case 'review_status':
    case 'review_failed_status':
    case 'review_skipped_status':
      return createStatusPost(tools, action, context);
    case 'resolve_thread':
      return createResolvePost(tools, action, context);
    case 'escalation_label':
    case 'escalation_unlabel':
      return createLabelPost(tools, action, context);
    case 'review_request':
      return createRequestPost(tools, action, context);
    default:
      return COMMENTS[ACTION_TRAITS[action.kind].shownIn](tools, action, context);
  }
}
