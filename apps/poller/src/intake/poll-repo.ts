import { explainDistrust, Failure, FLOWS, type Log, parseStartCommand } from '@mergexo/core';
import type { GitHub, Issue, IssueComment } from '@mergexo/github';
import type { FeedbackEvent, State } from '@mergexo/state';
import { z } from 'zod';
import type { Repo } from '../repo.js';
import { readFeed } from './read-feed.js';
import { takeInIssue } from './take-in-issue.js';

export type IntakeTools = {
  state: State;
  github: GitHub;
  now: () => number;
  log: Log;
  /** Lists may lag this far behind: rows are read again for as long. */
  overlapMs: number;
};

const Command = z.object({ flow: z.enum(FLOWS) });

/** One look at a repository: two conditional requests, and one more per command. */
export async function pollRepo(tools: IntakeTools, repo: Repo): Promise<void> {
  const { github } = tools;
  if (tools.state.readCursor(repo.id, 'issues') === undefined) await takeInLabelled(tools, repo);
  await readFeed(tools, repo, {
    name: 'issues',
    fetch: github.fetchIssuesFeed,
    apply: (rows) => {
      for (const issue of [...rows].sort((a, b) => a.number - b.number)) takeInIssue(tools, repo, issue);
    },
  });
  await readFeed(tools, repo, {
    name: 'issue_comments',
    fetch: github.fetchIssueCommentsFeed,
    apply: (rows) => {
      for (const comment of rows) recordCommand(tools, repo, comment);
    },
  });
  for (const event of tools.state.listPendingEvents(repo.id)) await obeyCommand(tools, repo, event);
}

/** The first look: only what is open and labelled, instead of the repository's whole past. */
async function takeInLabelled(tools: IntakeTools, repo: Repo): Promise<void> {
  const { github, state, now, overlapMs } = tools;
  const { fullName, labels } = repo.config;
  const newest = await github.fetchNewestUpdate(fullName);
  const names = [labels.bugfix, labels.smallJob, labels.design];
  const listed = await Promise.all(names.map((label) => github.fetchOpenIssues(fullName, label)));
  const issues = new Map(listed.flat().map((issue) => [issue.number, issue]));
  const start = newest === null ? 0 : Date.parse(newest) - overlapMs;
  const cursor = new Date(start).toISOString().replace(/\.\d+Z$/, 'Z');
  state.transaction(() => {
    for (const issue of [...issues.values()].sort((a, b) => a.number - b.number))
      takeInIssue(tools, repo, issue);
    for (const feed of ['issues', 'issue_comments'])
      state.saveCursor(repo.id, feed, { cursor, etag: null }, now());
  });
}

/** Recorded with the cursor and obeyed from there: a crash in between forgets no command, and repeats none. */
function recordCommand({ state, now }: IntakeTools, repo: Repo, comment: IssueComment): void {
  const { id, thread, body, author, updatedAt } = comment;
  const flow = comment.onPullRequest ? undefined : parseStartCommand(body);
  if (flow === undefined || explainDistrust(author, repo.config.allowedUsers) !== undefined) return;
  const event = {
    repoId: repo.id,
    eventKey: `${thread}:issue:${id}:${updatedAt}`,
    prNumber: thread,
    issueNumber: thread,
    kind: 'issue' as const,
    commentId: id,
    updatedAt,
    payload: { body, author, flow },
  };
  state.recordFeedbackEvent(event, now());
}

async function obeyCommand(tools: IntakeTools, repo: Repo, event: FeedbackEvent): Promise<void> {
  const { state, github, now } = tools;
  const { flow } = Command.parse(event.payload);
  const issue = await findIssue(github, repo, event.issueNumber);
  state.transaction(() => {
    if (issue !== undefined) takeInIssue(tools, repo, issue, flow);
    state.markEventProcessed(event, now(), issue === undefined ? 'the issue is gone' : null);
  });
}

async function findIssue(github: GitHub, repo: Repo, number: number): Promise<Issue | undefined> {
  try {
    return await github.fetchIssue(repo.config.fullName, number);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not-found') return undefined;
    throw error;
  }
}
