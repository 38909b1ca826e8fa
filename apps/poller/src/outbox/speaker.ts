import {
  type Action,
  coverEvents,
  type FeedbackContext,
  findingTargetOf,
  type Meta,
  neutraliseText,
  neutraliseTitle,
  type Plan,
  placeOfRemark,
  type Redact,
  readToken,
  renderPullBody,
  renderRunName,
  renderStatusComment,
  renderWaitComment,
  replaceDrift,
  replyTargetOf,
  rerunTargetOf,
  type SigningKeys,
  type StartContext,
  signBody,
  type Turn,
  verifyBody,
} from '@mergexo/core';
import type { GitHub, PullRequest } from '@mergexo/github';
import type { Pull, Run } from '@mergexo/state';
import { z } from 'zod';
import { fallbackTargetOf } from '../feedback/end-turn.js';
import type { Repo } from '../repo.js';
import { createLabelSpeaker, createRequestSpeaker } from '../review/escalation-speakers.js';
import { createResolveSpeaker } from '../review/fix-speakers.js';
import type { FrozenReview } from '../review/read-review.js';
import { createReviewSpeaker, createStatusSpeaker } from '../review/review-speakers.js';
import type { ReviewerVoice, Self } from '../self.js';

/** Everything that an action's words are made of. The plan is frozen, so the words are the same every time. */
export type Topic = {
  repo: Repo;
  /** Undefined for what belongs to no turn. */
  turn: Turn | undefined;
  /** Undefined for a notice on a pull request of nobody's run. */
  run: Run | undefined;
  plan: Plan | null;
  pull: Pull | undefined;
  /** What a feedback turn answers. */
  feedback: FeedbackContext | undefined;
  /** What a start is about. */
  start: StartContext | undefined;
  /** What a review found. */
  review: FrozenReview | undefined;
};

export type Found =
  | { kind: 'ours'; remoteId: number; opened?: PullRequest }
  | { kind: 'foreign'; url: string }
  | { kind: 'absent' };

/** How one action is sent, and how it is recognised on GitHub afterwards. */
export type Speaker = {
  /** A complete look: throws rather than answer from half a list. */
  find(): Promise<Found>;
  send(): Promise<{ remoteId: number; opened?: PullRequest }>;
  /** The token that closes the words, for the log. */
  token: string;
};

export type SpeakerTools = {
  github: GitHub;
  keys: SigningKeys;
  viewer: Self;
  /** Undefined where one login does everything. */
  reviewer: () => ReviewerVoice | undefined;
  redact: Redact;
};

export function createSpeaker(tools: SpeakerTools, action: Action, topic: Topic): Speaker {
  switch (action.kind) {
    case 'open_pull':
      return createPullSpeaker(tools, action, topic);
    case 'review_reply':
    case 'finding_reply':
      return createReplySpeaker(tools, action, topic);
    case 'update_body':
      return createBodySpeaker(tools, action, topic);
    case 'rerun_checks':
      return createRerunSpeaker(tools, action, topic);
    case 'post_review':
      return createReviewSpeaker(tools, action, topic);
    case 'review_status':
      return createStatusSpeaker(tools, topic);
    case 'resolve_thread':
      return createResolveSpeaker(tools, action, topic);
    case 'escalation_label':
    case 'escalation_unlabel':
      return createLabelSpeaker(tools, action, topic);
    case 'review_request':
      return createRequestSpeaker(tools, action, topic);
    default:
      return createCommentSpeaker(tools, action, topic);
  }
}

function createPullSpeaker(tools: SpeakerTools, action: Action, topic: Topic): Speaker {
  const { github, keys, redact } = tools;
  const { fullName, defaultBranch } = topic.repo.config;
  const { result, commit } = topic.plan ?? {};
  if (result?.kind !== 'pull' || commit === null || commit === undefined || topic.run === undefined)
    throw new Error('a pull request needs commits');
  const { flow, issueNumber, designDocPath } = topic.run;
  const place = { repoId: topic.repo.id, thread: action.target };
  const summary = redact(result.summary);
  const words = redact(
    renderPullBody({ flow, issueNumber, summary, designDocPath, acceptance: result.acceptance }),
  );
  const body = signBody(words, buildMeta(action, topic), place, keys);

  return {
    token: readToken(body) ?? '',
    async find() {
      const pulls = await github.fetchPullsOfBranch(fullName, commit.branch);
      const metaOf = (pull: PullRequest) => verifyBody(pull.body, place, keys)?.meta;
      const runName = topic.run && renderRunName(topic.run);
      // One of an earlier turn of the run may have appeared late.
      const ours =
        pulls.find((pull) => metaOf(pull)?.turn === topic.turn?.turnKey) ??
        pulls.find((pull) => pull.status === 'open' && metaOf(pull)?.run === runName);
      if (ours !== undefined) return { kind: 'ours', remoteId: ours.number, opened: ours };
      const open = pulls.find((pull) => pull.status === 'open');
      return open === undefined ? { kind: 'absent' } : { kind: 'foreign', url: open.url };
    },
    async send() {
      const title = neutraliseTitle(redact(result.title));
      const opened = await github.postPull(fullName, {
        title,
        body,
        head: commit.branch,
        base: defaultBranch,
      });
      return { remoteId: opened.number, opened };
    },
  };
}

function createCommentSpeaker(tools: SpeakerTools, action: Action, topic: Topic): Speaker {
  const { github, redact } = tools;
  const { fullName } = topic.repo.config;
  const said = sign(tools, action, topic, { rootId: null, words: redact(renderComment(action, topic)) });
  return {
    token: said.token,
    find: async () => said.findAmong((await github.fetchThread(fullName, action.thread)).comments),
    send: async () => ({
      remoteId: (await github.postIssueComment(fullName, action.thread, said.body)).id,
    }),
  };
}

function createReplySpeaker(tools: SpeakerTools, action: Action, topic: Topic): Speaker {
  const { github, redact } = tools;
  const { fullName } = topic.repo.config;
  const reply = findReply(action, topic.plan);
  const said = sign(tools, action, topic, {
    rootId: reply.rootId,
    words: redact(neutraliseText(reply.body)),
  });
  return {
    token: said.token,
    async find() {
      const { comments } = await github.fetchReviewComments(fullName, action.thread);
      return said.findAmong(comments.filter(({ inReplyToId }) => inReplyToId === reply.rootId));
    },
    send: async () => ({
      remoteId: (await github.postReviewReply(fullName, action.thread, reply.rootId, said.body)).id,
    }),
  };
}

/** Brings our section of the body up to date. A body that a person edited is theirs now, and is left alone. */
function createBodySpeaker({ github, keys }: SpeakerTools, action: Action, topic: Topic): Speaker {
  const { fullName } = topic.repo.config;
  const drift = z.array(z.string()).parse(JSON.parse(action.words ?? '[]'));
  const place = { repoId: topic.repo.id, thread: `branch:${topic.pull?.branch ?? ''}` };
  const read = async () => {
    const { body } = await github.fetchPull(fullName, action.thread);
    const proof = verifyBody(body, place, keys);
    const next = proof?.intact ? signBody(replaceDrift(proof.body, drift), proof.meta, place, keys) : body;
    return { isDone: next === body, next };
  };
  return {
    token: '',
    find: async () =>
      (await read()).isDone ? { kind: 'ours', remoteId: action.thread } : { kind: 'absent' },
    async send() {
      await github.updatePullBody(fullName, action.thread, (await read()).next);
      return { remoteId: action.thread };
    },
  };
}

/** Says nothing, but is a write: whether it happened is told by the number of the run's attempt. */
function createRerunSpeaker({ github }: SpeakerTools, action: Action, topic: Topic): Speaker {
  const { fullName } = topic.repo.config;
  const failed = rerunTargetOf(action);
  if (failed === undefined) throw new Error(`${action.target} is no run`);
  return {
    token: '',
    async find() {
      const run = await github.fetchActionsRun(fullName, failed.runId);
      const isDone = run !== null && (run.attempt > failed.attempt || run.status !== 'completed');
      return isDone ? { kind: 'ours', remoteId: failed.runId } : { kind: 'absent' };
    },
    async send() {
      await github.rerunFailedJobs(fullName, failed.runId);
      return { remoteId: failed.runId };
    },
  };
}

/** What a comment of ours says, and how it is found again: the oldest that proves itself, edited or not. */
function sign(
  { keys, viewer }: SpeakerTools,
  action: Action,
  topic: Topic,
  { rootId, words }: { rootId: number | null; words: string },
) {
  const place = placeOfRemark(topic.repo.id, { thread: action.thread, rootId });
  const meta = buildMeta(action, topic);
  const body = signBody(words, meta, place, keys);
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

export function findReply(action: Action, plan: Plan | null): { rootId: number; body: string } {
  const finding = findingTargetOf(action);
  if (finding !== undefined) return { rootId: finding.commentId, body: action.words ?? '' };
  const target = replyTargetOf(action);
  const replies = plan?.result.kind === 'answer' ? plan.result.replies : [];
  const reply = replies.find(({ commentId }) => commentId === target);
  if (reply === undefined) throw new Error('the plan has no such reply');
  return reply;
}

function renderComment(action: Action, { repo, run, plan, pull, start }: Topic): string {
  if (action.words !== null) return action.words;
  switch (action.kind) {
    case 'status_comment':
      return renderStatusComment({
        flow: run?.flow ?? 'small_job',
        number: pull?.prNumber ?? 0,
        url: pull?.url ?? '',
      });
    case 'wait_comment': {
      const result = plan?.result;
      if (result?.kind !== 'wait') throw new Error('the plan does not wait');
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
    case 'general_comment':
      if (plan?.result.kind !== 'answer' || plan.result.general === null)
        throw new Error('the plan has no general comment');
      return neutraliseText(plan.result.general);
    default:
      throw new Error(`${action.kind} has no words`);
  }
}

export function buildMeta(action: Action, topic: Topic): Meta {
  const { run, turn, review } = topic;
  const head = headOf(action, topic);
  const about = {
    ...(run && { run: renderRunName(run) }),
    kind: action.kind,
    target: action.target,
    index: '0',
  };
  // Its own target names a row of our database, which means nothing once that is lost.
  if (turn === undefined) return { ...about, target: `thread:${action.thread}`, cause: action.id };
  const events = listAnswered(action, topic);
  return {
    ...about,
    turn: turn.turnKey,
    ...(events.length > 0 && { events: events.join(',') }),
    ...(head !== undefined && { head }),
    ...(review?.round !== undefined && { cycle: String(review.round.fixCycle) }),
    // What was said up to here is part of the work, also after the loss of the database.
    ...(topic.start !== undefined && { gate: String(topic.start.consumedUpTo) }),
  };
}

/** The commit that the words are about: what was pushed, or what a wait goes on from. */
function headOf(action: Action, { plan, start, review }: Topic): string | undefined {
  const pushed = plan?.commit?.sha;
  if (action.kind === 'wait_comment') return pushed ?? start?.followup?.checkpoint?.sha;
  if (review !== undefined) return review.context.headSha;
  return start === undefined ? pushed : undefined;
}

/** The events that this comment answers, without the number of the pull request: after the loss of the database they tell. */
function listAnswered(action: Action, { plan, feedback }: Topic): string[] {
  if (feedback === undefined || plan?.result.kind !== 'answer') return [];
  const { byReply, byGeneral } = coverEvents(feedback.events, plan.result);
  const target = replyTargetOf(action) ?? fallbackTargetOf(action);
  const keys = target === undefined ? byGeneral : (byReply.get(target) ?? []);
  return keys.map((key) => key.slice(key.indexOf(':') + 1));
}
