import { ACTION_TRAITS, type Action, isListed, type ShownIn, type UnlistedKind } from '@mergexo/core/actions';
import { createCommentPost, createReplyPost } from './comment-posts.js';
import { createLabelPost, createRequestPost } from './escalation-posts.js';
import { createResolvePost } from './fix-posts.js';
import type { Post, PostContext, PostTools } from './post.js';
import { createBodyPost, createPullPost, createRerunPost } from './pull-posts.js';
import { createReviewPost, createStatusPost } from './review-posts.js';

type CreatePost = (tools: PostTools, action: Action, context: PostContext) => Post;

const LISTED: Record<ShownIn, CreatePost> = {
  issue_comment: createCommentPost,
  review_comment: createReplyPost,
  review: createReviewPost,
};

const UNLISTED: Record<UnlistedKind, CreatePost> = {
  open_pull: createPullPost,
  update_body: createBodyPost,
  rerun_checks: createRerunPost,
  review_status: createStatusPost,
  review_failed_status: createStatusPost,
  resolve_thread: createResolvePost,
  escalation_label: createLabelPost,
  escalation_unlabel: createLabelPost,
  review_request: createRequestPost,
};

export function createPost(tools: PostTools, action: Action, context: PostContext): Post {
  const { kind } = action;
  const create = isListed(kind) ? LISTED[ACTION_TRAITS[kind].shownIn] : UNLISTED[kind];
  return create(tools, action, context);
}
