import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { LedgerAnswer, LedgerDraft } from '@mergexo/core/ledger';
import { FeedbackContext, type PlanParcel, type PlanResult } from '@mergexo/core/turns';
import { type FeedbackWorld, REPO } from './feedback-world.js';

const run = promisify(execFile);

/**
 * Delivery of a message: it arrives, it is lost until the worker repeats it, or only its response is lost.
 */
export type Post = 'arrives' | 'lost' | 'answer-lost';

/** How the scripted agent answers: with line replies or in one comment, with or without a commit, or by blocking. */
export type Style = { replies: boolean; commits: boolean; blocks?: boolean };

/** A worker's memory between its steps. A crash erases all of it. */
type Hand = {
  job?: { turnKey: string; epoch: number; requestId: string };
  begun?: { turnKey: string; attempt: number; context: FeedbackContext };
  parcel?: PlanParcel;
  frozen?: boolean;
  outcome?: 'pushed' | 'superseded';
};

export type Crew = ReturnType<typeof createCrew>;

/** Creates workers that take one step at a time, so that any event can happen between two steps. */
export function createCrew(world: FeedbackWorld) {
  const hands: Hand[] = [{}, {}, {}];
  const sent: LedgerDraft[] = [];
  /** The newest attempt of each turn. */
  const newest = new Map<string, number>();
  /** Turns with a plan that the poller acknowledged as frozen. */
  const frozen = new Set<string>();
  const problems: string[] = [];
  let deliveries = 0;
  let plans = 0;

  /** Records the response. Reports a problem if a message was accepted after a newer attempt has begun. */
  const noteAnswer = (message: LedgerDraft, answer: LedgerAnswer | undefined): void => {
    if (answer?.kind === 'begun') newest.set(answer.turnKey, answer.attempt);
    if (answer?.kind !== 'ok' || !('attempt' in message)) return;
    const { kind, turnKey, attempt } = message;
    if (kind === 'freeze') frozen.add(turnKey);
    if (attempt < (newest.get(turnKey) ?? 0))
      problems.push(`${kind} of the older attempt ${attempt} was accepted`);
  };

  const send = async (message: LedgerDraft, post: Post): Promise<LedgerAnswer | undefined> => {
    sent.push(message);
    if (post === 'lost') return undefined;
    const answer = await world.sendMessage(message);
    noteAnswer(message, answer);
    return post === 'arrives' ? answer : undefined;
  };

  const begin = async (index: number, hand: Hand, post: Post): Promise<void> => {
    if (hand.job === undefined) return;
    const answer = await send({ kind: 'begin', ...hand.job, workerId: `w${index}` }, post);
    if (answer === undefined) return;
    if (answer.kind !== 'begun') {
      hands[index] = {};
      return;
    }
    const { turnKey, attempt } = answer;
    if (answer.frozen === null && frozen.has(turnKey))
      problems.push(`the agent would run again for ${turnKey} after the freeze`);
    const begun = { turnKey, attempt, context: FeedbackContext.parse(answer.context) };
    hands[index] = answer.frozen === null ? { begun } : { begun, parcel: answer.frozen, frozen: true };
  };

  const plan = async (
    { turnKey, context }: NonNullable<Hand['begun']>,
    style: Style,
  ): Promise<PlanParcel> => {
    plans += 1;
    const { branch, headSha } = context;
    const name = `plan-${plans}`;
    const commits = style.commits && style.blocks !== true;
    const sha = commits ? await commit(world, headSha, `${name} of ${turnKey}`) : null;
    return {
      plan: {
        version: 1,
        session: { adapter: 'command', threadId: 't' },
        commit: sha === null ? null : { branch, startSha: headSha, sha },
        result: style.blocks === true ? BLOCK : answerAll(context, name, style),
        stateSummary: name,
        usage: { inputTokens: 1, outputTokens: 1, costUsd: 0 },
      },
      bundle: sha === null ? null : 'AAAA',
    };
  };

  const report = async (index: number, message: LedgerDraft, post: Post): Promise<void> => {
    const hand = hands[index] ?? {};
    const answer = await send(message, post);
    if (answer === undefined) return;
    const isFrozen = message.kind === 'freeze' && answer.kind === 'ok' && !message.finished;
    hands[index] = isFrozen ? { ...hand, frozen: true } : {};
  };

  return {
    problems,
    /** Takes the next step of an honest worker. */
    async step(index: number, post: Post, style: Style): Promise<void> {
      const hand = hands[index];
      if (hand === undefined) return;
      const { begun, parcel } = hand;
      if (begun === undefined) {
        const jobs = world.listJobs();
        const turn = jobs[index % Math.max(1, jobs.length)];
        if (hand.job === undefined && turn === undefined) return;
        deliveries += 1;
        if (turn !== undefined)
          hand.job ??= { turnKey: turn.turnKey, epoch: turn.epoch, requestId: `w${index}@r${deliveries}` };
        return begin(index, hand, post);
      }
      const { turnKey, attempt } = begun;
      if (parcel === undefined) {
        hand.parcel = await plan(begun, style);
      } else if (hand.frozen !== true) {
        const finished = parcel.plan.commit === null;
        await report(index, { kind: 'freeze', turnKey, attempt, parcel, finished }, post);
      } else if (parcel.plan.commit === null || hand.outcome !== undefined) {
        const outcome = hand.outcome ?? 'pushed';
        const reason = outcome === 'pushed' ? null : 'the branch moved';
        await report(index, { kind: 'finish', turnKey, attempt, outcome, reason }, post);
      } else {
        hand.outcome = await push(world, parcel.plan.commit);
      }
    },
    async giveUp(index: number, kind: 'fail' | 'release', post: Post): Promise<void> {
      const { begun } = hands[index] ?? {};
      if (begun === undefined) return;
      const { turnKey, attempt } = begun;
      const usage = { inputTokens: 0, outputTokens: 0, costUsd: 0 };
      const message: LedgerDraft =
        kind === 'release'
          ? { kind, turnKey, attempt, reason: 'scheduled' }
          : { kind, turnKey, attempt, cause: 'agent', reason: 'scheduled', retryAfterMs: null, usage };
      await report(index, message, post);
    },
    crash(index: number): void {
      hands[index] = {};
    },
    /** Forgets all attempts, because the poller may open a turn with the same key again after a database loss. */
    forget(): void {
      newest.clear();
      frozen.clear();
    },
    /** Delivers an earlier message again. */
    async repeat(which: number): Promise<void> {
      const message = sent[which % Math.max(1, sent.length)];
      if (message !== undefined) noteAnswer(message, await world.sendMessage(message));
    },
  };
}

const BLOCK: PlanResult = {
  kind: 'block',
  blockKind: 'agent_blocked',
  reason: 'A person must decide this.',
  observedSha: null,
};

/** Answers every event once: line comments in replies if `style.replies` is set, all other events in one comment. */
function answerAll({ events }: FeedbackContext, name: string, style: Style): PlanResult {
  const onLines = style.replies ? events.filter(({ kind }) => kind === 'review') : [];
  const ids = [...new Set(onLines.map(({ id }) => id))];
  const answer = (to: typeof events): string =>
    `Answer by ${name} to ${to.map(({ body }) => nameText(body) ?? 'a remark').join(', ')}.`;
  const replies = ids.map((commentId) => ({
    commentId,
    rootId: onLines.find(({ id }) => id === commentId)?.rootId ?? commentId,
    body: answer(onLines.filter(({ id }) => id === commentId)),
  }));
  const rest = events.filter((event) => !onLines.includes(event));
  return { kind: 'answer', replies, general: rest.length === 0 ? null : answer(rest) };
}

/** Identifies the text of a comment, because two versions may have the same time. */
export function nameText(body: string): string | undefined {
  return /Remark number \d+(?!.*Remark number)/s.exec(body)?.[0];
}

async function git(world: FeedbackWorld, ...args: string[]): Promise<string> {
  const at = new Date(world.now()).toISOString();
  const who = { NAME: 'robot', EMAIL: 'robot@example.com', DATE: at };
  const env = Object.fromEntries(
    Object.entries(who).flatMap(([key, value]) => [
      [`GIT_AUTHOR_${key}`, value],
      [`GIT_COMMITTER_${key}`, value],
    ]),
  );
  const { stdout } = await run('git', ['-C', world.twin.repoDir(REPO), ...args], {
    env: { ...process.env, ...env },
  });
  return stdout.trim();
}

const commit = (world: FeedbackWorld, parent: string, message: string): Promise<string> =>
  git(world, 'commit-tree', `${parent}^{tree}`, '-p', parent, '-m', message);

export async function isAncestor(world: FeedbackWorld, older: string, newer: string): Promise<boolean> {
  try {
    await git(world, 'merge-base', '--is-ancestor', older, newer);
    return true;
  } catch {
    return false;
  }
}

/** Pushes only fast-forwards. Returns `pushed` if the branch already contains the commit, even below newer commits. */
async function push(
  world: FeedbackWorld,
  { branch, sha }: { branch: string; sha: string },
): Promise<'pushed' | 'superseded'> {
  const ref = `refs/heads/${branch}`;
  const head = await git(world, 'rev-parse', ref);
  if (await isAncestor(world, sha, head)) return 'pushed';
  if (!(await isAncestor(world, head, sha))) return 'superseded';
  await git(world, 'update-ref', ref, sha, head);
  await world.twin.control.noticeRefs(REPO);
  return 'pushed';
}
