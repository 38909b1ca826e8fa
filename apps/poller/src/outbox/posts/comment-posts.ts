import {
  type Action,
  findingTargetOf,
  isRenderedComment,
  linkTargetOf,
  type RenderedComment,
  replyTargetOf,
} from '@mergexo/core/actions';
import {
  placeOfRemark,
  readToken,
  renderStatusComment,
  renderThreadLink,
  renderWaitComment,
  signBody,
  verifyBody,
} from '@mergexo/core/outbox';
import { neutraliseMarkdown } from '@mergexo/core/text';
import { buildMeta } from './build-meta.js';
import type { Found, Post, PostContext, PostTools } from './post.js';

export function createCommentPost(tools: PostTools, action: Action, context: PostContext): Post {
  const { github, redact } = tools;
  const { fullName } = context.repo.config;
  const said = sign(tools, action, context, { rootId: null, words: redact(renderComment(action, context)) });
  return {
    token: said.token,
    find: async () => said.findAmong((await github.fetchThread(fullName, action.thread)).comments),
    send: async () => ({
      remoteId: (await github.postIssueComment(fullName, action.thread, said.body)).id,
    }),
  };
}

export function createReplyPost(tools: PostTools, action: Action, context: PostContext): Post {
  const { github, redact } = tools;
  const { fullName } = context.repo.config;
  const reply = findReply(action, context);
  const said = sign(tools, action, context, {
    rootId: reply.rootId,
    words: redact(neutraliseMarkdown(reply.body)),
  });
  return {
    token: said.token,
    async find() {
      const { comments } = await github.fetchReviewComments(fullName, action.thread);
      return said.findAmong(comments.filter(({ inReplyToId }) => inReplyToId === reply.rootId));
    },
    send: async () => ({
      remoteId: (await github.postReviewReply(fullName, action.thread, reply.rootId, said.body)).id,
    }),
  };
}

/** What a comment of ours says, and how it is found again: the oldest that proves itself, edited or not. */
function sign(
  { keys, viewer }: PostTools,
  action: Action,
  context: PostContext,
  { rootId, words }: { rootId: number | null; words: string },
) {
  const place = placeOfRemark(context.repo.id, { thread: action.thread, rootId });
  const meta = buildMeta(action, context);
  const body = signBody(words, meta, place, keys);
  const isIt = (text: string): boolean => {
    const proof = verifyBody(text, place, keys)?.meta;
    return (
      proof?.turn === meta.turn &&
      proof?.cause === meta.cause &&
      proof?.kind === meta.kind &&
      proof?.target === meta.target
    );
  };
  return {
    body,
    token: readToken(body) ?? '',
    findAmong(comments: readonly { id: number; body: string; author: { id: number } }[]): Found {
      const [ours] = comments
        .filter((comment) => viewer.ids.has(comment.author.id) && isIt(comment.body))
        .sort((a, b) => a.id - b.id);
      return ours === undefined ? { kind: 'absent' } : { kind: 'ours', remoteId: ours.id };
    },
  };
}

export function findReply(
  action: Action,
  { plan, generalUrl }: Pick<PostContext, 'plan' | 'generalUrl'>,
): { rootId: number; body: string } {
  const rootId = linkTargetOf(action);
  if (rootId !== undefined) return { rootId, body: renderThreadLink(generalUrl ?? '') };
  const finding = findingTargetOf(action);
  if (finding !== undefined) return { rootId: finding.commentId, body: action.words ?? '' };
  const target = replyTargetOf(action);
  const replies = plan?.result.kind === 'answer' ? plan.result.replies : [];
  const reply = replies.find(({ commentId }) => commentId === target);
  if (reply === undefined) throw new Error('the plan has no such reply');
  return reply;
}

function renderComment(action: Action, context: PostContext): string {
  const { kind, words } = action;
  if (words !== null) return words;
  if (!isRenderedComment(kind)) throw new Error(`${kind} was planned without words`);
  return RENDER[kind](context);
}

const RENDER: Record<RenderedComment, (context: PostContext) => string> = {
  status_comment: ({ run, pull }) =>
    renderStatusComment({
      flow: run?.flow ?? 'small_job',
      number: pull?.prNumber ?? 0,
      url: pull?.url ?? '',
    }),
  wait_comment: renderWait,
  general_comment({ plan }) {
    if (plan?.result.kind !== 'answer' || plan.result.general === null)
      throw new Error('the plan has no general comment');
    return neutraliseMarkdown(plan.result.general);
  },
};

function renderWait({ repo, plan, start }: PostContext): string {
  const result = plan?.result;
  if (result?.kind !== 'wait') throw new Error('the plan does not wait');
  const checkpoint = plan?.commit ? { branch: plan.commit.branch, sha: plan.commit.sha } : null;
  const repoUrl = start?.issue.url.replace(/\/issues\/\d+$/, '') ?? '';
  const { waitKind, reason } = result;
  return renderWaitComment({
    waitKind,
    reason,
    checkpoint: checkpoint ?? start?.followup?.checkpoint ?? null,
    repoUrl,
    baseBranch: repo.config.defaultBranch,
  });
}
