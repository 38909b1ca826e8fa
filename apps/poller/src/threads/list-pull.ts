import { Failure, failpoint } from '@mergexo/core/basics';
import type { Remark } from '@mergexo/core/feedback';
import { type Meta, placeOfRemark, verifyBody } from '@mergexo/core/outbox';
import type { GitHub, Issue, IssueComment, PullDetails, Review, ReviewComment } from '@mergexo/github';
import type { FeedbackEvent, Pull, State } from '@mergexo/state';
import { updatePull } from '../lifecycle/update.js';
import type { Repo } from '../tools.js';
import { kindsOf } from './find-ownership.js';
import { noteMismatch, type RemarkTools, takeInRemark } from './take-in-remark.js';
import { lineRemark, oldestFirst, reviewRemark, sameTimeKey, toRemark } from './to-remark.js';

export type ListTools = RemarkTools & { github: GitHub };

/** Everything that is said on a pull request at one moment. */
export type Snapshot = {
  pull: PullDetails;
  /** The pull request as an issue: it has the labels. */
  issue: Issue;
  conversation: readonly IssueComment[];
  reviewComments: readonly ReviewComment[];
  reviews: readonly Review[];
};

/** Complete, or a failure; whatever was missed is taken in, and what vanished is noticed. */
export async function listPull(tools: ListTools, repo: Repo, pull: Pull): Promise<Snapshot> {
  const { github, state, now } = tools;
  const { fullName } = repo.config;
  const reviews = await github.fetchReviews(fullName, pull.prNumber, null);
  const { issue, comments: conversation } = await github.fetchThread(fullName, pull.prNumber);
  const { pull: details, comments: reviewComments } = await github.fetchReviewComments(
    fullName,
    pull.prNumber,
  );
  failpoint('poller:remarks-read');
  refuseStale(repo, state.readPull(repo.id, pull.prNumber) ?? pull, details);
  const snapshot = {
    pull: details,
    issue,
    conversation,
    reviewComments,
    reviews: reviews.kind === 'changed' ? reviews.rows : [],
  };
  const vanished = await findVanished(tools, repo, pull, snapshot);
  state.transaction(() => {
    const known = state.readPull(repo.id, pull.prNumber) ?? pull;
    const said = collectCauses(tools, repo, pull.prNumber, snapshot);
    for (const remark of listRemarks(known, snapshot)) takeInRemark(tools, repo, pull.prNumber, remark, said);
    markAnswered(tools, repo, known, snapshot);
    for (const missing of vanished) noteVanished(tools, known, missing);
    const taken = state.readPull(repo.id, pull.prNumber) ?? known;
    const reviewsEtag = reviews.kind === 'changed' ? reviews.etag : taken.reviewsEtag;
    updatePull(tools, taken, { reviewsEtag, headSha: details.headSha, listedAt: now() });
  });
  return snapshot;
}

/** An answer from before what the list has shown would make an old head the present one, or a closed one open. */
export function isStale({ remoteUpdatedAt }: Pull, { updatedAt }: PullDetails): boolean {
  return remoteUpdatedAt !== null && updatedAt < remoteUpdatedAt;
}

function refuseStale(repo: Repo, known: Pull, details: PullDetails): void {
  if (!isStale(known, details)) return;
  throw new Failure(
    'unavailable',
    `GitHub shows ${repo.config.fullName}#${known.prNumber} as it was before. It is read again.`,
  );
}

function listRemarks(pull: Pull, snapshot: Snapshot): Remark[] {
  const reviews = snapshot.reviews.flatMap((review) => reviewRemark(review, pull.prNumber) ?? []);
  return [
    ...reviews,
    ...oldestFirst(snapshot.reviewComments).map(lineRemark),
    ...oldestFirst(snapshot.conversation).map(toRemark),
  ];
}

/** The closing lines of all comments that prove themselves ours. */
function collectMetas({ keys, viewer }: ListTools, repo: Repo, thread: number, snapshot: Snapshot): Meta[] {
  const said = [
    ...snapshot.conversation.map((comment) => ({ ...comment, rootId: null })),
    ...snapshot.reviewComments.map((comment) => ({ ...comment, rootId: comment.inReplyToId })),
  ];
  return said
    .filter(({ author }) => viewer.ids.has(author.id))
    .flatMap(
      ({ body, rootId }) => verifyBody(body, placeOfRemark(repo.id, { thread, rootId }), keys)?.meta ?? [],
    );
}

function collectCauses(tools: ListTools, repo: Repo, thread: number, snapshot: Snapshot): Set<string> {
  return new Set(collectMetas(tools, repo, thread, snapshot).flatMap(({ cause }) => cause ?? []));
}

/** What a comment of ours says it answers is answered, also where our own records do not know it any more. */
function markAnswered(tools: ListTools, repo: Repo, pull: Pull, snapshot: Snapshot): void {
  const { state, now } = tools;
  const thread = pull.prNumber;
  const pending = [...state.listUnclaimedEvents(repo.id, thread), ...listPlanless(state, pull)];
  if (pending.length === 0) return;
  const answered = collectMetas(tools, repo, thread, snapshot).flatMap(
    ({ events }) => events?.split(',').map((rest) => `${thread}:${rest}`) ?? [],
  );
  for (const event of pending) {
    if (isAnswered(event, answered)) state.markEventProcessed(event, now());
  }
}

/** Events of a turn that has sent nothing: only a restored copy of the database does not know that they were answered. */
function listPlanless(state: State, { runId }: Pull): FeedbackEvent[] {
  const turn = state.readLiveTurnOfRun(runId);
  if (turn === undefined || turn.planDigest !== null) return [];
  return state.listEventsOfFeedbackTurn(turn.turnKey).filter(({ processedAt }) => processedAt === null);
}

/** Of a text that was edited within a second, or in a review, only the last is still there: it has to be that one. */
function isAnswered({ eventKey, payload }: FeedbackEvent, answered: readonly string[]): boolean {
  if (answered.includes(sameTimeKey(eventKey, payload.body))) return true;
  return answered.includes(eventKey) && !answered.some((key) => key.startsWith(`${eventKey}+`));
}

type Missing = { kind: 'issue' | 'review'; commentId: number; event: FeedbackEvent | undefined };

/** Not in the lists, and GitHub says of each that it is gone: a list alone may lag behind. */
async function findVanished(
  tools: ListTools,
  repo: Repo,
  pull: Pull,
  snapshot: Snapshot,
): Promise<Missing[]> {
  const vanished: Missing[] = [];
  for (const missing of listMissing(tools, pull, snapshot)) {
    const { fullName } = repo.config;
    const { commentId } = missing;
    const found =
      missing.kind === 'issue'
        ? await tools.github.fetchIssueComment(fullName, commentId)
        : await tools.github.fetchReviewComment(fullName, commentId);
    if (found === null) vanished.push(missing);
  }
  return vanished;
}

/** What can be deleted. */
const SAID = ['issue', 'review'] as const;

function listMissing({ state }: ListTools, pull: Pull, snapshot: Snapshot): Missing[] {
  const present = {
    issue: new Set(snapshot.conversation.map(({ id }) => id)),
    review: new Set(snapshot.reviewComments.map(({ id }) => id)),
  };
  const events = state.listEventsOfThread(pull.repoId, pull.prNumber).flatMap((event): Missing[] => {
    const { kind, commentId } = event;
    if ((kind !== 'issue' && kind !== 'review') || event.processedAt !== null) return [];
    return present[kind].has(commentId) ? [] : [{ kind, commentId, event }];
  });
  const actions = state
    .listActionsOfThread(pull.repoId, pull.prNumber, 1_000)
    .flatMap((action): Missing[] => {
      const commentId = action.remoteId;
      const kind = SAID.find((candidate) => kindsOf(candidate).includes(action.kind));
      if (action.state !== 'settled' || commentId === null || kind === undefined) return [];
      return present[kind].has(commentId) ? [] : [{ kind, commentId, event: undefined }];
    });
  return [...events, ...actions];
}

/** A deleted comment needs no answer; one of ours that is gone is not posted again. */
function noteVanished(tools: ListTools, pull: Pull, { event, ...comment }: Missing): void {
  if (event === undefined) noteMismatch(tools, pull, { ...comment, thread: pull.prNumber }, 'deleted');
  else tools.state.markEventProcessed(event, tools.now(), 'it was deleted before it was answered');
}
