import { type Action, isRenderedComment, parseTarget, type RenderedComment } from '@mergexo/core/actions';
import {
  placeOfRemark,
  readToken,
  renderStatusComment,
  renderThreadLink,
  renderWaitComment,
  signBody,
  verifyBody,
} from '@mergexo/core/outbox';
import { neutraliseMarkdown, redactNeutral } from '@mergexo/core/text';
import { buildMeta } from './build-meta.js';
import type { Found, Post, PostContext, PostTools } from './post.js';

export function createCommentPost(tools: PostTools, action: Action, context: PostContext): Post {
  const { github, redact } = tools;
  const { fullName } = context.repo.config;
  const said = sign(
    tools,
    { action, context },
    { rootId: null, words: redactNeutral(renderComment(action, context), redact) },
  );
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
  const said = sign(
    tools,
    { action, context },
    { rootId: reply.rootId, words: redactNeutral(neutraliseMarkdown(reply.body), redact) },
  );
  return {
    token: said.token,
    async find() {
      const { comments } = await github.fetchReviewComments(fullName, action.thread);
      return said.findAmong(comments.filter(({ inReplyToId }) => inReplyToId === reply.rootId));
    },
    async send() {
      const posted = { pull: action.thread, inReplyToId: reply.rootId, body: said.body };
      return { remoteId: (await github.postReviewReply(fullName, posted)).id };
    },
  };
}

/**
 * Signs a comment, and finds it on GitHub later: as the oldest comment with a valid signature, even if it was edited.
 */
function sign(
  { keys, viewer }: PostTools,
  { action, context }: { action: Action; context: PostContext },
  { rootId, words }: { rootId: number | null; words: string },
) {
  const place = placeOfRemark(context.repo.id, { thread: action.thread, rootId });
  const meta = buildMeta(action, context);
  const body = signBody(words, { meta, place, keys });
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
  const target = parseTarget(action.target);
  if (target.kind === 'link') return { rootId: target.rootId, body: renderThreadLink(generalUrl ?? '') };
  if (target.kind === 'finding' && action.kind === 'finding_reply')
    return { rootId: target.commentId, body: action.payload.text };
  const replies = plan?.result.kind === 'answer' ? plan.result.replies : [];
  const reply = replies.find(({ commentId }) => target.kind === 'review' && commentId === target.commentId);
  if (reply === undefined) throw new Error(`the plan has no reply for ${action.target}`);
  return reply;
}

function renderComment(action: Action, context: PostContext): string {
  const { kind, payload } = action;
  if (payload !== null && 'text' in payload) return payload.text;
  if (!isRenderedComment(kind)) throw new Error(`${kind} was planned without a text`);
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
  if (result?.kind !== 'wait') throw new Error('the plan has no wait comment');
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
