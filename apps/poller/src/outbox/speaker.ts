import {
  type Action,
  type Meta,
  neutraliseTitle,
  type Plan,
  type Redact,
  renderBlockNotice,
  renderParkNotice,
  renderPullBody,
  renderRunName,
  renderStatusComment,
  renderWaitComment,
  type SigningKeys,
  signBody,
  type Turn,
  verifyBody,
} from '@mergexo/core';
import type { GitHub, PullRequest, Viewer } from '@mergexo/github';
import type { Pull, Run } from '@mergexo/state';
import type { Repo } from '../repo.js';

/** Everything that an action's words are made of. The plan is frozen, so the words are the same every time. */
export type Topic = {
  repo: Repo;
  /** Undefined for what belongs to no turn. */
  turn: Turn | undefined;
  run: Run;
  plan: Plan | null;
  pull: Pull | undefined;
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

export type SpeakerTools = { github: GitHub; keys: SigningKeys; viewer: Viewer; redact: Redact };

export function createSpeaker(tools: SpeakerTools, action: Action, topic: Topic): Speaker {
  return action.kind === 'open_pull'
    ? createPullSpeaker(tools, action, topic)
    : createCommentSpeaker(tools, action, topic);
}

function createPullSpeaker(tools: SpeakerTools, action: Action, topic: Topic): Speaker {
  const { github, keys, redact } = tools;
  const { fullName, defaultBranch } = topic.repo.config;
  const { result, commit } = topic.plan ?? {};
  if (result?.kind !== 'pull' || commit === null || commit === undefined)
    throw new Error('a pull request needs commits');
  const { flow, issueNumber, designDocPath } = topic.run;
  const place = { repoId: topic.repo.id, thread: action.target };
  const summary = redact(result.summary);
  const words = redact(renderPullBody({ flow, issueNumber, summary, designDocPath }));
  const body = signBody(words, buildMeta(action, topic), place, keys);

  return {
    token: tokenOf(body),
    async find() {
      const pulls = await github.fetchPullsOfBranch(fullName, commit.branch);
      const ours = pulls.find(
        (pull) => verifyBody(pull.body, place, keys)?.meta.turn === topic.turn?.turnKey,
      );
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
  const { github, keys, viewer, redact } = tools;
  const { fullName } = topic.repo.config;
  const place = { repoId: topic.repo.id, thread: String(action.thread) };
  const meta = buildMeta(action, topic);
  const body = signBody(redact(renderComment(action, topic)), meta, place, keys);

  return {
    token: tokenOf(body),
    /** The oldest that proves itself, edited or not. */
    async find() {
      const { comments } = await github.fetchThread(fullName, action.thread);
      const ours = comments
        .filter(({ author }) => author.id === viewer.id)
        .sort((a, b) => a.id - b.id)
        .find((comment) => {
          const proof = verifyBody(comment.body, place, keys);
          return (
            proof?.meta.turn === meta.turn &&
            proof?.meta.cause === meta.cause &&
            proof?.meta.kind === meta.kind &&
            proof?.meta.target === meta.target
          );
        });
      return ours === undefined ? { kind: 'absent' } : { kind: 'ours', remoteId: ours.id };
    },
    send: async () => ({ remoteId: (await github.postIssueComment(fullName, action.thread, body)).id }),
  };
}

function renderComment(action: Action, { run, plan, pull, turn }: Topic): string {
  switch (action.kind) {
    case 'status_comment':
      return renderStatusComment({ flow: run.flow, number: pull?.prNumber ?? 0, url: pull?.url ?? '' });
    case 'wait_comment': {
      const result = plan?.result;
      if (result?.kind !== 'wait') throw new Error('the plan does not wait');
      const checkpoint = plan?.commit ? { branch: plan.commit.branch, sha: plan.commit.sha } : null;
      return renderWaitComment({ waitKind: result.waitKind, reason: result.reason, checkpoint });
    }
    case 'block_notice':
      return renderBlockNotice(turn?.reason ?? 'unknown reason');
    case 'park_notice':
      return renderParkNotice(run.error ?? 'unknown limit');
    case 'open_pull':
      throw new Error('a pull request is no comment');
  }
}

function buildMeta(action: Action, { run, turn }: Topic): Meta {
  const about = { run: renderRunName(run), kind: action.kind, target: action.target, index: '0' };
  return turn === undefined ? { ...about, cause: action.id } : { ...about, turn: turn.turnKey };
}

function tokenOf(body: string): string {
  return body.slice(-68, -4);
}
