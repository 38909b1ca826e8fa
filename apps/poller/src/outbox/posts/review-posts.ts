import type { Action } from '@mergexo/core/actions';
import { Failure } from '@mergexo/core/basics';
import { placeOfRemark, readToken, signBody, verifyBody } from '@mergexo/core/outbox';
import { hasVerdict, type ReviewPost, renderReviewPost } from '@mergexo/core/review';
import { redactNeutral } from '@mergexo/core/text';
import type { GitHub, NewReview } from '@mergexo/github';
import type { FrozenReview } from '../../lifecycle/review/read-review.js';
import { buildMeta } from './build-meta.js';
import type { Found, Post, PostContext, PostTools } from './post.js';

/** Creates a review with its line comments. Each head gets one review, so the head identifies the review. */
export function createReviewPost(
  tools: PostTools,
  action: Action<'post_review'>,
  context: PostContext,
): Post {
  const { github, keys, viewer, reviewer, redact } = tools;
  const { fullName } = context.repo.config;
  const review = reviewOf(context);
  const { headSha } = review.context;
  const place = placeOfRemark(context.repo.id, { thread: action.thread, rootId: null });
  const { comments, ...post } = renderPost(tools, review);
  // If GitHub refused the line comments, the payload has a body with every finding.
  const words = action.payload === null ? post.body : redactNeutral(action.payload.text, redact);
  const body = signBody(words, { meta: buildMeta(action, context), place, keys });
  const submit = (door: GitHub, event: NewReview['event']) =>
    door.postReview(fullName, action.thread, {
      commitSha: headSha,
      event,
      body,
      comments: action.payload === null ? comments.map(toInline) : [],
    });
  return {
    token: readToken(body) ?? '',
    async find(): Promise<Found> {
      const listed = await github.fetchReviews(fullName, action.thread, null);
      const isIt = (text: string): boolean => {
        const meta = verifyBody(text, place, keys)?.meta;
        if (meta?.kind !== action.kind || meta.target !== action.target) return false;
        // A review from before a database loss may have the opposite verdict.
        return action.sends > 0 || hasVerdict(text, review.verdict.kind);
      };
      const ours = (listed.kind === 'changed' ? listed.rows : [])
        .filter(
          ({ author, state, body: text }) => viewer.ids.has(author.id) && state !== 'pending' && isIt(text),
        )
        .map(({ id }) => id);
      return ours.length === 0 ? { kind: 'absent' } : { kind: 'ours', remoteId: Math.min(...ours) };
    },
    async send() {
      const voice = reviewer();
      // GitHub does not let authors approve or reject their own pull requests, so only the commit status shows the
      // verdict.
      const postAsAuthor = () => submit(github, 'COMMENT');
      if (voice === undefined) return { remoteId: (await postAsAuthor()).id };
      const event = review.verdict.kind === 'approved' ? 'APPROVE' : 'REQUEST_CHANGES';
      const { id } = await submit(voice.github, event).catch((error: unknown) => {
        if (!isRefusal(error)) throw error;
        voice.note(error);
        return postAsAuthor();
      });
      return { remoteId: id };
    },
  };
}

/** True if GitHub rejected the review, for example because the login lost access or opened the pull request. */
function isRefusal(error: unknown): error is Failure {
  return error instanceof Failure && ['unauthorized', 'not-found', 'conflict'].includes(error.kind);
}

/**
 * Renders a body with all line comments, because GitHub refuses a review that has an invalid line. Returns undefined if
 * there are no line comments.
 */
export function renderBodyOnly(tools: Pick<PostTools, 'redact'>, context: PostContext): string | undefined {
  const review = reviewOf(context);
  const { inline, demoted } = review.placement;
  if (inline.length === 0) return undefined;
  const placement = { ...review.placement, inline: [], demoted: [...inline, ...demoted] };
  return renderPost(tools, { ...review, placement }).body;
}

export function renderPost(
  { redact }: Pick<PostTools, 'redact'>,
  { context, result, verdict, placement }: FrozenReview,
): ReviewPost {
  const { round, fixesLeft, earlier, policy } = context;
  const { summary, notes, refuted, answers, gone } = result;
  const fixed = answers.flatMap(({ id, status, evidence }) => {
    const finding = earlier.find((other) => other.id === id && gone.includes(id) && status === 'fixed');
    return finding === undefined ? [] : [{ path: finding.path, line: finding.line, evidence }];
  });
  const words = { round, summary, verdict, placement, notes, refuted: refuted.length, fixed, fixesLeft };
  return renderReviewPost({ ...words, maxFindings: policy.maxFindings }, redact);
}

/** GitHub rejects a range whose first line equals its last, so a single line has no start. */
function toInline({ startLine, ...comment }: ReviewPost['comments'][number]): NewReview['comments'][number] {
  const end = { ...comment, side: 'RIGHT' } as const;
  return startLine === null ? end : { ...end, start_line: startLine, start_side: 'RIGHT' };
}

export function reviewOf({ review }: PostContext): FrozenReview {
  if (review === undefined) throw new Error('the turn is not a review');
  return review;
}
