import { buildEventKey } from '../../feedback/event-key.js';
import { type Remark, type ReviewState, threadRootOf } from '../../feedback/remark.js';
import type { Account } from '../../runs/account.js';
import { keepNewest } from '../keep-newest.js';
import { Sha } from '../plan.js';
import { toRole } from '../start/start-context.js';
import type { FeedbackContext, FeedbackEventContext } from './feedback-context.js';

/** Maximum number of events per turn. The next turn answers the others. */
export const MAX_EVENTS = 100;

/** Maximum length of a text. GitHub's own limit is lower, so only logs are cut. */
const MAX_TEXT = 200_000;
/** Maximum number of diff lines. The comment is about the last lines. */
const MAX_HUNK_LINES = 40;
const MAX_HUNK = 8_000;

type Comment = {
  id: number;
  author: Account;
  association?: string | undefined;
  body: string;
  createdAt: string;
  updatedAt: string;
  url: string;
};

export type FeedbackMaterial = Omit<
  FeedbackContext,
  'events' | 'reviewComments' | 'conversation' | 'issueComments' | 'cuts' | 'update'
> & {
  update?: boolean;
  remarks: readonly Remark[];
  /** Review verdicts by review id. */
  reviewStates: ReadonlyMap<number, ReviewState>;
  reviewComments: readonly (Comment & {
    inReplyToId: number | null;
    path: string;
    startLine: number | null;
    startSide: string | null;
    line: number | null;
    originalStartLine: number | null;
    originalLine: number | null;
    originalCommitId: string | null;
    diffHunk: string | null;
  })[];
  /** Ids of comments in resolved threads. */
  resolved: ReadonlySet<number>;
  conversation: readonly Comment[];
  /** Comments on the issue, by people whose text the agent may read. */
  issueComments: readonly Comment[];
};

/** Oldest first by GitHub's time. MergeXO may have recorded the comments of one moment in any order. */
const compareRemarks = (a: Remark, b: Remark): number =>
  a.createdAt === b.createdAt ? a.commentId - b.commentId : a.createdAt < b.createdAt ? -1 : 1;

/** Cuts the material to a size that an agent can read, and notes the cuts. Keeps the newest comments. */
export function buildFeedbackContext(material: FeedbackMaterial): FeedbackContext {
  const { remarks, reviewStates, reviewComments, conversation, issueComments, resolved, ...rest } = material;
  const posts = rest.previousActions.map((action) => ({ ...action, body: action.summary }));
  const { cuts, cut, newest } = createCuts();
  const takeHunk = createHunks(reviewComments);
  const commentOf = new Map(reviewComments.map((comment) => [comment.id, comment]));
  const events = remarks.toSorted(compareRemarks).map((remark): FeedbackEventContext => {
    const { kind, commentId: id, author, body, createdAt, updatedAt, url, path, side } = remark;
    const rootId = kind === 'review' ? threadRootOf(remark) : null;
    const reviewState =
      remark.reviewState ?? (remark.reviewId === null ? null : (reviewStates.get(remark.reviewId) ?? null));
    return {
      key: buildEventKey(remark),
      kind,
      id,
      rootId,
      path,
      ...locate(remark, kind === 'review' ? commentOf.get(id) : undefined),
      side,
      isResolved: kind === 'review' && resolved.has(id),
      diffHunk: rootId === null ? null : takeHunk(rootId),
      reviewState,
      check: remark.check ?? null,
      log: remark.log ?? null,
      ...(remark.isLogCut && { isLogCut: true }),
      author: author.login,
      ...toRole(remark.association),
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
  const shorten = ({ id, author, association, body, createdAt, updatedAt, url }: Comment) => ({
    id,
    author: author.login,
    ...toRole(association),
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
      isResolved: resolved.has(said.id),
    })),
    issueComments: newest('comments on the issue', issueComments).map(shorten),
    conversation: newest(
      'comments',
      conversation.filter(({ id }) => !isNew.has(id)),
    ).map(shorten),
    previousActions: newest('your earlier posts', posts).map(({ body: _, ...action }) => action),
    cuts,
  };
}

/** Shortens texts and lists, and records each cut. */
function createCuts() {
  const cuts: string[] = [];
  return {
    cuts,
    cut(name: string, text: string): string {
      if (text.length <= MAX_TEXT) return text;
      cuts.push(`${name}: the last ${text.length - MAX_TEXT} of ${text.length} characters`);
      return text.slice(0, MAX_TEXT);
    },
    newest<T extends { body: string }>(name: string, list: readonly T[]): readonly T[] {
      const kept = keepNewest(list);
      if (kept.length < list.length)
        cuts.push(`${name}: the first ${list.length - kept.length} of ${list.length}`);
      return kept;
    },
  };
}

type Located = Pick<FeedbackEventContext, 'startLine' | 'startsAt' | 'line' | 'outdated'>;

/** Returns the lines of a comment. GitHub returns no current line if a later commit changed the code. */
function locate(
  { line, side }: Remark,
  comment: FeedbackMaterial['reviewComments'][number] | undefined,
): Located {
  if (comment === undefined) return { startLine: null, line, outdated: null };
  const { startSide, originalLine, originalCommitId: sha } = comment;
  const first = comment.startLine ?? comment.originalStartLine;
  // The two sides of a diff have different line numbers, so such a range has no numbers of its own.
  const isMixed = first !== null && startSide !== null && startSide !== side;
  const [startLine, originalStartLine] = isMixed
    ? [null, null]
    : [comment.startLine, comment.originalStartLine];
  const startsAt = isMixed ? { startsAt: { side: startSide, line: first } } : {};
  if (comment.line !== null) return { startLine, ...startsAt, line: comment.line, outdated: null };
  const isKnown = originalLine !== null && Sha.safeParse(sha).success;
  return {
    startLine: null,
    ...startsAt,
    line: null,
    outdated: isKnown && sha !== null ? { sha, startLine: originalStartLine, line: originalLine } : null,
  };
}

/** Returns the diff of each thread once. Cuts off the start, because GitHub's diff ends with the commented line. */
function createHunks(comments: FeedbackMaterial['reviewComments']): (rootId: number) => string | null {
  const hunks = new Map<number, string>();
  for (const { id, inReplyToId, diffHunk } of comments) if (diffHunk) hunks.set(inReplyToId ?? id, diffHunk);
  return (rootId) => {
    const hunk = hunks.get(rootId);
    hunks.delete(rootId);
    if (hunk === undefined) return null;
    const end = hunk.split('\n').slice(-MAX_HUNK_LINES).join('\n');
    return end.length <= MAX_HUNK ? end : end.slice(-MAX_HUNK).replace(/^[^\n]*\n/, '');
  };
}
