import { buildEventKey, type Remark, type ReviewState, threadRootOf } from '../../feedback/remark.js';
import type { Account } from '../../runs/decide-intake.js';
import type { FeedbackContext, FeedbackEventContext } from './feedback-context.js';

/** One turn answers this many at most; the others are next. */
export const MAX_EVENTS = 100;

const MAX_TEXT = 20_000;
const MAX_COMMENTS = 100;
/** Of one diff, and of all together: long threads stand on the same few lines. */
const MAX_HUNK = 2_000;
const MAX_HUNKS = 40_000;

type Said = { id: number; author: Account; body: string; createdAt: string; updatedAt: string; url: string };

export type FeedbackMaterial = Omit<
  FeedbackContext,
  'events' | 'reviewComments' | 'conversation' | 'cuts' | 'update'
> & {
  update?: boolean;
  remarks: readonly Remark[];
  /** The verdict of each review, by its id. */
  reviewStates: ReadonlyMap<number, ReviewState>;
  reviewComments: readonly (Said & {
    inReplyToId: number | null;
    path: string;
    line: number | null;
    diffHunk: string | null;
  })[];
  conversation: readonly Said[];
};

/** Cut to a size that an agent can take in, with a note of what was cut. What people asked last is kept. */
export function buildFeedbackContext(material: FeedbackMaterial): FeedbackContext {
  const { remarks, reviewStates, reviewComments, conversation, ...rest } = material;
  const cuts: string[] = [];
  const cut = (name: string, text: string): string => {
    if (text.length <= MAX_TEXT) return text;
    cuts.push(`${name}: the last ${text.length - MAX_TEXT} of ${text.length} characters`);
    return text.slice(0, MAX_TEXT);
  };
  const newest = <T>(name: string, list: readonly T[]): readonly T[] => {
    if (list.length > MAX_COMMENTS)
      cuts.push(`${name}: the first ${list.length - MAX_COMMENTS} of ${list.length}`);
    return list.slice(-MAX_COMMENTS);
  };
  const takeHunk = createHunks(reviewComments, cuts);
  const events = remarks.map((remark): FeedbackEventContext => {
    const { kind, commentId: id, author, body, createdAt, updatedAt, url, path, line, side } = remark;
    const rootId = kind === 'review' ? threadRootOf(remark) : null;
    const reviewState =
      remark.reviewState ?? (remark.reviewId === null ? null : (reviewStates.get(remark.reviewId) ?? null));
    return {
      key: buildEventKey(remark),
      kind,
      id,
      rootId,
      path,
      line,
      side,
      diffHunk: rootId === null ? null : takeHunk(rootId),
      reviewState,
      check: remark.check ?? null,
      author: author.login,
      body: cut(`comment ${id}`, body),
      createdAt,
      updatedAt,
      url,
    };
  });
  const roots = new Set(events.map(({ rootId }) => rootId));
  const isNew = new Set(events.filter(({ kind }) => kind !== 'review_summary').map(({ id }) => id));
  const inThreads = reviewComments.filter(
    ({ id, inReplyToId }) => roots.has(inReplyToId ?? id) && !isNew.has(id),
  );
  const shorten = ({ id, author, body, createdAt, updatedAt, url }: Said) => ({
    id,
    author: author.login,
    body: cut(`comment ${id}`, body),
    createdAt,
    updatedAt,
    url,
  });
  return {
    ...rest,
    update: rest.update ?? false,
    issue: { ...rest.issue, body: cut('the issue', rest.issue.body) },
    pull: { ...rest.pull, body: cut('the pull request', rest.pull.body) },
    events,
    reviewComments: newest('comments on lines', inThreads).map(({ path, line, inReplyToId, ...said }) => ({
      ...shorten(said),
      inReplyToId,
      path,
      line,
    })),
    conversation: newest(
      'comments',
      conversation.filter(({ id }) => !isNew.has(id)),
    ).map(shorten),
    cuts,
  };
}

/** Gives the diff of each thread once, while there is room. GitHub ends it with the line of the comment. */
function createHunks(
  comments: FeedbackMaterial['reviewComments'],
  cuts: string[],
): (rootId: number) => string | null {
  const hunks = new Map<number, string>();
  for (const { id, inReplyToId, diffHunk } of comments) if (diffHunk) hunks.set(inReplyToId ?? id, diffHunk);
  let room = MAX_HUNKS;
  return (rootId) => {
    const hunk = hunks.get(rootId);
    hunks.delete(rootId);
    if (hunk === undefined) return null;
    const end = hunk.length <= MAX_HUNK ? hunk : hunk.slice(-MAX_HUNK).replace(/^[^\n]*\n/, '');
    room -= end.length;
    if (room >= 0) return end;
    cuts.push(`the diff of comment ${rootId}`);
    return null;
  };
}
