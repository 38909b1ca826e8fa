import type { Issue, IssueComment } from '@mergexo/github';
import type { FeedbackEvent } from '@mergexo/state';
import { watchChecks } from '../ci/watch-checks.js';
import { closePull } from '../feedback/close-pull.js';
import { takeInRemark } from '../feedback/take-in-remark.js';
import { noteTakeover } from '../feedback/takeover.js';
import { oldestFirst, toRemark } from '../feedback/to-remark.js';
import { noteBaseMoved, watchConflicts } from '../feedback/watch-conflicts.js';
import { isListed, PULLS, type WatchTools, watchPulls } from '../feedback/watch-pulls.js';
import { findIssue } from '../find-issue.js';
import { isUnansweredStart, obeyStart } from '../followup/obey-start.js';
import { takeInIssueRemark } from '../followup/take-in-issue-remark.js';
import { markMerged, promoteMerged } from '../promotion/promote-merged.js';
import type { Repo } from '../repo.js';
import { catchUp } from './adopt-pull.js';
import { isPausedForSecret, pauseForSecret } from './lost-secret.js';
import { fetchFeed, readFeed } from './read-feed.js';
import { rebuildRepo } from './rebuild-repo.js';
import { noteForgotten, recallForgotten } from './recall-forgotten.js';
import { CATCH_UP, REBUILT } from './settling-in.js';
import { takeInIssue } from './take-in-issue.js';

export type IntakeTools = WatchTools;

const SEEN = 'issue_seen/';
const FEEDS = ['issues', 'issue_comments', 'review_comments'];

/** One look at a repository: a handful of conditional requests, and more only for what changed. */
export async function pollRepo(tools: IntakeTools, repo: Repo): Promise<'polled' | 'secret-lost'> {
  const { github, state } = tools;
  if (await isPausedForSecret(tools, repo)) return 'secret-lost';
  if (state.readCursor(repo.id, 'issues') === undefined) {
    const first = await takeInLabelled(tools, repo);
    if (first === 'secret-lost') return first;
  }
  // Before the labels, and taken in after them: whoever speaks right after a takeover has ended is heard.
  const takeInComments = await fetchFeed(tools, repo, {
    name: 'issue_comments',
    fetch: github.fetchIssueCommentsFeed,
    apply: (rows) => {
      for (const comment of oldestFirst(rows)) {
        takeInComment(tools, repo, comment);
        noteForgotten(tools, repo, comment);
      }
    },
  });
  const closed: Issue[] = [];
  const since = state.readCursor(repo.id, 'issues')?.cursor ?? '';
  await readFeed(tools, repo, {
    name: 'issues',
    fetch: github.fetchIssuesFeed,
    apply: (rows) => {
      for (const issue of [...rows].sort((a, b) => a.number - b.number)) {
        if (isOutdated(tools, repo, issue)) continue;
        noteTakeover(tools, repo, issue);
        // A word on an old pull request makes it no news.
        const isNews = issue.mergedAt !== null && issue.mergedAt >= since;
        if (isNews) noteBaseMoved(tools, repo.id, issue.mergedAt ?? '');
        if (isNews && tools.state.readPull(repo.id, issue.number) === undefined)
          markMerged(tools, repo.id, issue.number);
        if (issue.isPullRequest && !issue.open) closed.push(issue);
        else takeInIssue(tools, repo, issue);
      }
    },
  });
  for (const issue of closed) await followClosing(tools, repo, issue);
  // Reviews before the comments on lines that belong to them, so that a review is taken in whole.
  await watchPulls(tools, repo);
  takeInComments();
  await catchUp(tools, repo);
  await recallForgotten(tools, repo);
  await promoteMerged(tools, repo);
  await watchChecks(tools, repo);
  await watchConflicts(tools, repo);
  // Recorded with the cursor and obeyed from there: a crash in between forgets no command, and repeats none.
  for (const event of state
    .listPendingEvents(repo.id)
    .filter((other) => isStartCommand(tools, repo, other))) {
    const issue = await findIssue(github, repo, event.payload.thread);
    state.transaction(() => obeyStart(tools, repo, event.payload, issue));
  }
  return 'polled';
}

/** A list may fall behind what it has shown before, and an issue of ours is not closed or taken over twice for it. */
function isOutdated({ state, now }: IntakeTools, repo: Repo, { number, updatedAt }: Issue): boolean {
  const isOurs =
    state.listRunsOfIssue(repo.id, number).length > 0 || state.readPull(repo.id, number) !== undefined;
  if (!isOurs) return false;
  const name = `${SEEN}${number}`;
  const { cursor } = state.readCursor(repo.id, name) ?? { cursor: null };
  if (cursor !== null && updatedAt < cursor) return true;
  if (updatedAt !== cursor) state.saveCursor(repo.id, name, { cursor: updatedAt, etag: null }, now());
  return false;
}

/** The list of open pull requests shows only its first page for nothing; closings of the others come this way. */
async function followClosing(tools: IntakeTools, repo: Repo, issue: Issue): Promise<void> {
  const { state, github, now } = tools;
  const { number } = issue;
  const pull = state.readPull(repo.id, number);
  if (pull === undefined || pull.status === 'merged') return;
  // Reopened and merged between two looks.
  if (pull.status === 'closed' && issue.mergedAt === null) return;
  const { status } = await github.fetchPull(repo.config.fullName, number);
  if (status === 'open') return;
  state.transaction(() => {
    closePull(tools, repo.id, number, status);
    // The list of open ones may never have been read; it is where a reopening shows.
    if (state.readCursor(repo.id, PULLS) === undefined)
      state.saveCursor(repo.id, PULLS, { cursor: null, etag: null }, now());
  });
}

/** The first look: only what is open and labelled, instead of the repository's whole past. */
async function takeInLabelled(tools: IntakeTools, repo: Repo): Promise<'rebuilt' | 'secret-lost'> {
  const { github, state, now, overlapMs } = tools;
  const { fullName, labels } = repo.config;
  const newest = await github.fetchNewestUpdate(fullName);
  const names = [labels.bugfix, labels.smallJob, labels.design];
  const listed = await Promise.all(names.map((label) => github.fetchOpenIssues(fullName, label)));
  const issues = new Map(listed.flat().map((issue) => [issue.number, issue]));
  const start = newest === null ? 0 : Date.parse(newest) - overlapMs;
  const cursor = new Date(start).toISOString().replace(/\.\d+Z$/, 'Z');
  const found = await rebuildRepo(tools, repo, [...issues.values()], () =>
    state.transaction(() => state.saveCursor(repo.id, REBUILT, { cursor: String(now()), etag: null }, now())),
  );
  if (found === 'secret-lost') {
    pauseForSecret(tools, repo);
    return found;
  }
  state.transaction(() => {
    for (const issue of [...issues.values()].sort((a, b) => a.number - b.number))
      takeInIssue(tools, repo, issue);
    // Everything was looked for just now.
    state.deleteCursor(repo.id, CATCH_UP);
    for (const feed of FEEDS) state.saveCursor(repo.id, feed, { cursor, etag: null }, now());
    // What was read back may be closed now, and be opened again.
    if (state.readCursor(repo.id, REBUILT) !== undefined)
      state.saveCursor(repo.id, PULLS, { cursor: null, etag: null }, now());
  });
  return found;
}

function takeInComment(tools: IntakeTools, repo: Repo, comment: IssueComment): void {
  const remark = toRemark(comment);
  const pull = tools.state.readPull(repo.id, comment.thread);
  if (pull === undefined && !comment.onPullRequest) takeInIssueRemark(tools, repo, remark);
  if (pull !== undefined && isListed(pull)) takeInRemark(tools, repo, pull.prNumber, remark);
}

function isStartCommand({ state }: IntakeTools, repo: Repo, event: FeedbackEvent): boolean {
  const { kind, thread } = event.payload;
  return kind === 'issue' && isUnansweredStart(state, event) && state.readPull(repo.id, thread) === undefined;
}
