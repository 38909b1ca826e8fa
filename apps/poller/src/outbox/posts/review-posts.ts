import type { Action } from '@mergexo/core/actions';
import { Failure } from '@mergexo/core/basics';
import { placeOfRemark, readToken, signBody, verifyBody } from '@mergexo/core/outbox';
import { hasVerdict, type ReviewPost, renderReviewPost } from '@mergexo/core/review';
import type { GitHub, NewReview } from '@mergexo/github';
import type { FrozenReview } from '../../lifecycle/review/read-review.js';
import { buildMeta } from './build-meta.js';
import type { Found, Post, PostContext, PostTools } from './post.js';

const CONTEXT = 'mergexo/review';

/** One review with its comments on lines. There is one per head, so that the head names it. */
export function createReviewPost(tools: PostTools, action: Action, context: PostContext): Post {
  const { github, keys, viewer, reviewer, redact } = tools;
  const { fullName } = context.repo.config;
  const review = reviewOf(context);
  const { headSha } = review.context;
  const place = placeOfRemark(context.repo.id, { thread: action.thread, rootId: null });
  const { comments, ...post } = renderPost(tools, review);
  // Once GitHub refused the lines, everything is said in the body.
  const words = action.words === null ? post.body : redact(action.words);
  const body = signBody(words, buildMeta(action, context), place, keys);
  const submit = (door: GitHub, event: NewReview['event']) =>
    door.postReview(fullName, action.thread, {
      commitSha: headSha,
      event,
      body,
      comments: action.words === null ? comments.map((comment) => ({ ...comment, side: 'RIGHT' })) : [],
    });
  return {
    token: readToken(body) ?? '',
    async find(): Promise<Found> {
      const listed = await github.fetchReviews(fullName, action.thread, null);
      const isIt = (text: string): boolean => {
        const meta = verifyBody(text, place, keys)?.meta;
        if (meta?.kind !== action.kind || meta.target !== action.target) return false;
        // One from before the loss of the records may say the contrary.
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
      // Nobody can approve or reject a pull request of their own; the verdict stands in the status.
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

/** Before it was applied: the login has lost its token or its access, or it opened this pull request in earlier days. */
function isRefusal(error: unknown): error is Failure {
  return error instanceof Failure && ['unauthorized', 'not-found', 'conflict'].includes(error.kind);
}

/** The verdict, where GitHub shows it beside the checks. The same twice is harmless. */
export function createStatusPost({ github }: PostTools, action: Action, context: PostContext): Post {
  const { fullName } = context.repo.config;
  const { headSha, ...verdict } =
    action.turnKey === null ? describeNotice(action, context) : describeStatus(context);
  const status = { ...verdict, context: CONTEXT };
  return {
    token: '',
    async find(): Promise<Found> {
      const listed = await github.fetchCommitStatuses(fullName, headSha, null);
      const ours = (listed.kind === 'changed' ? listed.rows : []).find(
        ({ name, state, description }) =>
          name === CONTEXT && state === status.state && description === status.description,
      );
      return ours === undefined ? { kind: 'absent' } : { kind: 'ours', remoteId: ours.id };
    },
    send: async () => ({ remoteId: (await github.postCommitStatus(fullName, headSha, status)).id }),
  };
}

function describeStatus(about: PostContext) {
  const { context, verdict, round } = reviewOf(about);
  return {
    headSha: context.headSha,
    state: verdict.kind === 'approved' ? ('success' as const) : ('failure' as const),
    description: describeVerdict(verdict),
    targetUrl: buildReviewUrl(about, round?.remoteId ?? null),
  };
}

/** Its words are the head. GitHub takes at most 140 characters of description. */
function describeNotice({ kind, words }: Action, context: PostContext) {
  const verdict =
    kind === 'review_failed_status'
      ? { state: 'error' as const, description: FAILED }
      : { state: 'success' as const, description: 'People dismissed what blocked the merge' };
  return { ...verdict, headSha: words ?? '', targetUrl: buildReviewUrl(context, null) };
}

const FAILED = 'The AI review failed. Comment /mergexo resume to retry it, or review the change yourself';

function describeVerdict(verdict: FrozenReview['verdict']): string {
  if (verdict.kind === 'approved') return 'Nothing blocks the merge';
  const { length } = verdict.blocking;
  return length === 1 ? '1 finding blocks the merge' : `${length} findings block the merge`;
}

function buildReviewUrl({ pull }: PostContext, remoteId: number | null): string | null {
  if (!pull?.url) return null;
  return remoteId === null ? pull.url : `${pull.url}#pullrequestreview-${remoteId}`;
}

/** The words for a second try: GitHub refuses a whole review for one line. Undefined where there was none to refuse. */
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
  const { round, fixesLeft } = context;
  return renderReviewPost({ round, summary: result.summary, verdict, placement, fixesLeft }, redact);
}

function reviewOf({ review }: PostContext): FrozenReview {
  if (review === undefined) throw new Error('the turn is no review');
  return review;
}
