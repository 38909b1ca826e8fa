import { Failure, failpoint } from '@mergexo/core/basics';
import { isAnsweredBy, parseAnsweredKeys, type Remark } from '@mergexo/core/feedback';
import { type Meta, placeOfRemark, verifyBody } from '@mergexo/core/outbox';
import type { GitHub, PullThread } from '@mergexo/github';
import type { FeedbackEvent, Pull, State } from '@mergexo/state';
import { noteTakeover } from '../lifecycle/takeover.js';
import { updatePull } from '../lifecycle/update.js';
import type { Repo } from '../tools.js';
import { kindsOf } from './find-ownership.js';
import { noteMismatch, type RemarkTools, recordRemark } from './record-remark.js';
import { oldestFirst, toLineRemark, toRemark, toReviewRemark } from './to-remark.js';

export type ListTools = RemarkTools & { github: GitHub };

const SAME_SECOND_MS = 2_000;

export type Snapshot = Omit<PullThread, 'reviewsEtag' | 'readAt'>;

/** Reads the complete pull request, records missed comments and handles deleted ones. */
export async function listPull(
  tools: ListTools,
  repo: Repo,
  { pull, ...how }: { pull: Pull } & Parameters<GitHub['refreshPull']>[2],
): Promise<Snapshot> {
  const { github, state, now } = tools;
  const thread = await github.refreshPull(repo.config.fullName, pull.prNumber, how);
  const { reviewsEtag, readAt, ...snapshot } = thread;
  failpoint('poller:remarks-read');
  const vanished = await findVanished(tools, repo, { pull, snapshot });
  state.transaction(() => {
    // Records the end of a takeover first, so that later comments do not count as made during the takeover.
    if (state.readPull(repo.id, pull.prNumber)?.ignoredSince != null)
      noteTakeover(tools, repo, { ...snapshot.pull, isPullRequest: true });
    const known = state.readPull(repo.id, pull.prNumber) ?? pull;
    refuseOutdated(repo, known, snapshot);
    const said = collectCauses(tools, pull, snapshot);
    for (const remark of listRemarks(known, snapshot)) recordRemark(tools, repo, { remark, said });
    markAnswered(tools, known, snapshot);
    for (const missing of vanished) noteVanished(tools, known, missing);
    const taken = state.readPull(repo.id, pull.prNumber) ?? known;
    const { headSha, updatedAt } = snapshot.pull;
    // GitHub's times are in whole seconds, so a review from the same second may still be missing.
    const isSettled = readAt - Date.parse(updatedAt) > SAME_SECOND_MS;
    const remoteUpdatedAt = isSettled ? updatedAt : taken.remoteUpdatedAt;
    updatePull(tools, taken, { reviewsEtag, headSha, remoteUpdatedAt, listedAt: now() });
  });
  return snapshot;
}

/** Throws if another part of the poller has already read a newer version of the pull request. */
function refuseOutdated(repo: Repo, { prNumber, remoteUpdatedAt }: Pull, { pull }: Snapshot): void {
  if (remoteUpdatedAt === null || pull.updatedAt >= remoteUpdatedAt) return;
  throw new Failure(
    'unavailable',
    `GitHub returned an outdated version of ${repo.config.fullName}#${prNumber}. MergeXO reads it again.`,
  );
}

function listRemarks(pull: Pull, snapshot: Snapshot): Remark[] {
  const reviews = snapshot.reviews.flatMap((review) => toReviewRemark(review, pull.prNumber) ?? []);
  return [
    ...reviews,
    ...oldestFirst(snapshot.reviewComments).map(toLineRemark),
    ...oldestFirst(snapshot.conversation).map(toRemark),
  ];
}

/** Returns the signed fields of our own comments. */
function collectMetas(
  { keys, viewer }: ListTools,
  { repoId, prNumber: thread }: Pull,
  snapshot: Snapshot,
): Meta[] {
  const said = [
    ...snapshot.conversation.map((comment) => ({ ...comment, rootId: null })),
    ...snapshot.reviewComments.map((comment) => ({ ...comment, rootId: comment.inReplyToId })),
  ];
  return said
    .filter(({ author }) => viewer.ids.has(author.id))
    .flatMap(
      ({ body, rootId }) => verifyBody(body, placeOfRemark(repoId, { thread, rootId }), keys)?.meta ?? [],
    );
}

function collectCauses(tools: ListTools, pull: Pull, snapshot: Snapshot): Set<string> {
  return new Set(collectMetas(tools, pull, snapshot).flatMap(({ cause }) => cause ?? []));
}

/** Marks events as processed if one of our comments on GitHub answers them, even if the database lacks that comment. */
function markAnswered(tools: ListTools, pull: Pull, snapshot: Snapshot): void {
  const { state, now } = tools;
  const { repoId, prNumber: thread } = pull;
  const pending = [...state.listUnclaimedEvents(repoId, thread), ...listPlanless(state, pull)];
  if (pending.length === 0) return;
  const answered = collectMetas(tools, pull, snapshot).flatMap(({ events }) =>
    parseAnsweredKeys(thread, events),
  );
  for (const event of pending) {
    if (isAnsweredBy(answered, { eventKey: event.eventKey, body: event.payload.body }))
      state.markEventProcessed(event, now());
  }
}

/** Returns unprocessed events of a turn without a plan. In a restored database, they may already be answered. */
function listPlanless(state: State, { runId }: Pull): FeedbackEvent[] {
  const turn = state.readLiveTurnOfRun(runId);
  if (turn === undefined || turn.planDigest !== null) return [];
  return state.listEventsOfFeedbackTurn(turn.turnKey).filter(({ processedAt }) => processedAt === null);
}

type Missing = { kind: 'issue' | 'review'; commentId: number; event: FeedbackEvent | undefined };

/** Returns comments that are missing from the lists and that GitHub reports as deleted. A list alone may lag. */
async function findVanished(
  tools: ListTools,
  repo: Repo,
  { pull, snapshot }: { pull: Pull; snapshot: Snapshot },
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

/** Kinds of comments that people can delete. */
const DELETABLE = ['issue', 'review'] as const;

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
      const kind = DELETABLE.find((candidate) => kindsOf(candidate).includes(action.kind));
      if (action.state !== 'settled' || commentId === null || kind === undefined) return [];
      return present[kind].has(commentId) ? [] : [{ kind, commentId, event: undefined }];
    });
  return [...events, ...actions];
}

/** Handles a deleted comment. MergeXO does not answer deleted comments, and does not repost its own. */
function noteVanished(tools: ListTools, pull: Pull, { event, ...comment }: Missing): void {
  if (event === undefined) noteMismatch(tools, pull, { ...comment, thread: pull.prNumber, what: 'deleted' });
  else tools.state.markEventProcessed(event, tools.now(), { code: 'deleted' });
}
