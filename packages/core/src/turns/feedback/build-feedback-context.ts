import { buildEventKey } from '../../feedback/event-key.js';
import { type Remark, type ReviewState, threadRootOf } from '../../feedback/remark.js';
import type { Account } from '../../runs/account.js';
import type { FeedbackContext, FeedbackEventContext } from './feedback-context.js';

/** Maximum number of events per turn. The next turn answers the others. */
export const MAX_EVENTS = 100;

const MAX_TEXT = 20_000;
const MAX_COMMENTS = 100;
/** Maximum length of one diff and of all diffs together, because long threads repeat the same few lines. */
const MAX_HUNK = 2_000;
const MAX_HUNKS = 40_000;

type Comment = {
  id: number;
  author: Account;
  body: string;
  createdAt: string;
  updatedAt: string;
  url: string;
};

export type FeedbackMaterial = Omit<
  FeedbackContext,
  'events' | 'reviewComments' | 'conversation' | 'cuts' | 'update'
> & {
  update?: boolean;
  remarks: readonly Remark[];
  /** Review verdicts by review id. */
  reviewStates: ReadonlyMap<number, ReviewState>;
  reviewComments: readonly (Comment & {
    inReplyToId: number | null;
    path: string;
    line: number | null;
    diffHunk: string | null;
  })[];
  conversation: readonly Comment[];
};

/** Cuts the material to a size that an agent can read, and notes the cuts. Keeps the newest comments. */
export function buildFeedbackContext(material: FeedbackMaterial): FeedbackContext {
  const { remarks, reviewStates, reviewComments, conversation, ...rest } = material;
  const { cuts, cut, newest } = createCuts();
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
  const shorten = ({ id, author, body, createdAt, updatedAt, url }: Comment) => ({
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

/** Shortens texts and lists, and records what was cut. */
function createCuts() {
  const cuts: string[] = [];
  return {
    cuts,
    cut(name: string, text: string): string {
      if (text.length <= MAX_TEXT) return text;
      cuts.push(`${name}: the last ${text.length - MAX_TEXT} of ${text.length} characters`);
      return text.slice(0, MAX_TEXT);
    },
    newest<T>(name: string, list: readonly T[]): readonly T[] {
      if (list.length > MAX_COMMENTS)
        cuts.push(`${name}: the first ${list.length - MAX_COMMENTS} of ${list.length}`);
      return list.slice(-MAX_COMMENTS);
    },
  };
}

/**
 * Returns the diff of each thread once, while there is room. Cuts off the start, because GitHub's diff ends with the
 * commented line.
 */
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
