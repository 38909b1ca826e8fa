import { type Action, describeAction, parseTarget } from '@mergexo/core/actions';
import { attemptOf, Plan, type Turn } from '@mergexo/core/turns';
import type { FeedbackEvent, Receipt, Snapshot } from '@mergexo/state';
import { describeComment, type IssueComment } from './describe-comment.js';
import type { ReviewRound } from './read-reviews.js';

/** The agent's answer to one comment, or to all comments of the turn that have no answer of their own. */
export type Answer = { text: string; outcome: string };

export type TurnCard = {
  turnKey: string;
  kind: Turn['kind'];
  state: Turn['state'];
  reason: string | null;
  attempts: number;
  worker: string | null;
  openedAt: number;
  endedAt: number | null;
  /** What the agents used; undefined before an attempt has ended. */
  receipt: Receipt | undefined;
  /** The comments that the turn answers, each with its own answer if there is one. */
  comments: readonly (IssueComment & { answer: Answer | undefined })[];
  /** Answers that are not about one comment. */
  answers: readonly Answer[];
  commit: string | null;
  tests: string | null;
  round: ReviewRound | undefined;
  events: readonly TurnEvent[];
};
export type TurnEvent = { createdAt: number; type: string; pr: number | null; payload: unknown };

type Scope = {
  comments: readonly FeedbackEvent[];
  rounds: readonly ReviewRound[];
  receipts: readonly Receipt[];
};

/** Reads everything about one turn that its card shows. */
export function readTurnCard(facts: Snapshot, turn: Turn, { comments, rounds, receipts }: Scope): TurnCard {
  const { state } = facts;
  const { turnKey, kind, reason, workerId: worker, openedAt, endedAt } = turn;
  const plan = readPlanText(facts, turnKey);
  const answers = readAnswers(facts, turnKey, plan);
  const own = comments
    .filter((event) => event.turnKey === turnKey)
    .map((event) => ({ ...describeComment(facts, event), answer: answers.of.get(event.commentId) }));
  return {
    ...{ turnKey, kind, state: turn.state, reason, worker, openedAt, endedAt },
    receipt: receipts.find((receipt) => receipt.turnKey === turnKey),
    attempts: attemptOf(turn),
    comments: own,
    answers: answers.general,
    commit: plan?.commit?.sha ?? null,
    tests: describeTests(plan, turn),
    round: rounds.find((round) => round.turnKey === turnKey),
    events: state
      .listEventsOfTurn(turnKey)
      .map(({ createdAt, type, prNumber: pr, payload }) => ({ createdAt, type, pr, payload })),
  };
}

/** Reads the plan without the bundle, which can have 20 MB. A plan of a later version is not shown. */
function readPlanText({ sqlite }: Snapshot, turnKey: string): Plan | null {
  const text = sqlite
    .prepare<[string], string | null>('select plan_json from turns where turn_key = ?')
    .pluck()
    .get(turnKey);
  const parsed = Plan.safeParse(text ? JSON.parse(text) : null);
  return parsed.success ? parsed.data : null;
}

function readAnswers({ state }: Snapshot, turnKey: string, plan: Plan | null) {
  const of = new Map<number, Answer>();
  const general: Answer[] = [];
  for (const action of state.listActionsOfTurn(turnKey)) {
    const told = describeAction(action, plan);
    if (told === undefined) continue;
    const answer = { text: told.summary, outcome: told.outcome };
    const commentId = commentOf(action);
    if (commentId === undefined) general.push(answer);
    else of.set(commentId, answer);
  }
  // Before the actions exist, and for posts that are not the agent's own, the plan has the text.
  const result = plan?.result;
  if (result?.kind === 'pull' && general.length === 0)
    general.push({ text: `${result.title}\n\n${result.summary}`.trim(), outcome: 'the pull request' });
  if (result?.kind === 'wait' && general.length === 0)
    general.push({ text: result.reason, outcome: 'asked' });
  if (result?.kind === 'answer') {
    if (general.length === 0 && result.general !== null)
      general.push({ text: result.general, outcome: 'not posted yet' });
    for (const { commentId, body } of result.replies)
      if (!of.has(commentId)) of.set(commentId, { text: body, outcome: 'not posted yet' });
  }
  return { of, general };
}

function commentOf({ target }: Action): number | undefined {
  const parsed = parseTarget(target);
  return parsed.kind === 'review' || parsed.kind === 'instead-of-reply' ? parsed.commentId : undefined;
}

/** Describes the tests of a turn. MergeXO saves a commit only after the required tests passed. */
function describeTests(plan: Plan | null, { kind, state }: Turn): string | null {
  const result = plan?.result;
  const failure =
    result?.kind === 'wait' ? result.waitKind : result?.kind === 'block' ? result.blockKind : undefined;
  if (failure?.startsWith('tests_')) return failure.replaceAll('_', ' ');
  if (plan === null || plan.commit === null || kind === 'review' || state === 'blocked') return null;
  const proof = result?.kind === 'pull' ? (result.provedBy ?? []) : [];
  return proof.length === 0
    ? 'required tests passed'
    : `required tests passed; without the fix, ${proof.join(', ')} failed`;
}
