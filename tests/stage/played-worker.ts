import { type BegunTurn, type LedgerAnswer, type LedgerDraft, queueTurn } from '@mergexo/core/ledger';
import {
  FeedbackContext,
  type PlanParcel,
  type PlanResult,
  type Turn,
  type TurnKind,
  type Usage,
} from '@mergexo/core/turns';
import type { Twin } from '@mergexo/github-twin';
import type { State } from '@mergexo/state';

export const NAME = 'alice/app';

export type AgentScript = (
  context: FeedbackContext,
  begun: BegunTurn,
) => Promise<{ result: PlanResult; sha: string | null; threadId?: string }>;

/** Result of a worker's attempt: a plan with an optional pushed commit, or a failure. */
export type Performance =
  | {
      result: PlanResult;
      commit: PlanParcel['plan']['commit'];
      outcome?: 'pushed' | 'superseded' | 'refused';
      /** Id of the agent's session after the turn. */
      threadId?: string;
      stateSummary?: string;
      /** What the worker reports in addition to its tokens. */
      usage?: Partial<Usage>;
    }
  | { failure: 'agent' | 'unusable' | 'infrastructure' };

export type PlayedWorker = {
  begin(turn: Turn): Promise<LedgerAnswer>;
  /** Plays the worker in a start turn: begin, push, freeze, finish. */
  work(
    result: PlanResult,
    otherBranch?: string,
    /** Files to push. By default, a start with a pull request pushes `fix.txt`, and others push nothing. */
    files?: Record<string, string>,
  ): Promise<{ turnKey: string; runId: number; branch: string; frozen: LedgerAnswer }>;
  /** Plays the worker in a feedback turn. `script` plays the agent. */
  answer(script: AgentScript): Promise<{ turn: Turn; answer: LedgerAnswer }>;
  /** Plays the worker in a turn of any of these kinds, up to the message that ends the turn. */
  perform(
    kinds: readonly TurnKind[],
    script: (begun: BegunTurn) => Promise<Performance>,
  ): Promise<{ turn: Turn; answer: LedgerAnswer }>;
  buildParcel(
    result: PlanResult,
    commit: PlanParcel['plan']['commit'],
    session?: { threadId?: string; stateSummary?: string },
  ): PlanParcel;
};

/** Plays a worker: sends its messages to the ledger, and pushes its commits. */
export function createPlayedWorker(tools: {
  twin: Twin;
  tell: (message: LedgerDraft) => Promise<LedgerAnswer>;
  state: () => State;
}): PlayedWorker {
  const { twin, tell, state } = tools;
  let deliveries = 0;

  const begin = async (turn: Turn): Promise<LedgerAnswer> => {
    const queued = queueTurn(turn) ?? turn;
    state().saveTurn(queued);
    deliveries += 1;
    const { turnKey, epoch } = queued;
    return tell({ kind: 'begin', requestId: `w@r${deliveries}`, turnKey, epoch, workerId: 'w' });
  };
  const complete = async (
    turnKey: string,
    attempt: number,
    parcel: PlanParcel,
    outcome: 'pushed' | 'superseded' | 'refused' = 'pushed',
  ) => {
    const finished = parcel.plan.commit === null;
    const frozen = await tell({ kind: 'freeze', turnKey, attempt, parcel, finished });
    const reason = outcome === 'pushed' ? null : outcome;
    if (!finished && frozen.kind === 'ok') await tell({ kind: 'finish', turnKey, attempt, outcome, reason });
    return frozen;
  };
  const perform: PlayedWorker['perform'] = async (kinds, script) => {
    // Includes queued turns, because a turn that got `retry-later` stays queued.
    const turn = (['open', 'queued'] as const)
      .flatMap((status) => state().listTurnsInState(status))
      .find(({ kind }) => kinds.includes(kind));
    if (turn === undefined) throw new Error(`no ${kinds.join(' or ')} turn is open`);
    const begun = await begin(turn);
    if (begun.kind !== 'begun') return { turn, answer: begun };
    const { turnKey, attempt } = begun;
    const done = await script(begun);
    if ('failure' in done) {
      const usage = { inputTokens: 1, outputTokens: 1, costUsd: 0 };
      const about = { turnKey, attempt, reason: 'scripted', retryAfterMs: null, usage };
      return { turn, answer: await tell({ kind: 'fail', ...about, cause: done.failure }) };
    }
    const parcel = buildParcel(done.result, done.commit, done);
    return { turn, answer: await complete(turnKey, attempt, parcel, done.outcome) };
  };

  return {
    begin,
    perform,
    buildParcel,
    async work(result, otherBranch, files) {
      const [turn] = state().listTurnsInState('open');
      if (turn === undefined || turn.runId === null) throw new Error('no turn waits for a worker');
      const { turnKey, runId } = turn;
      const begun = await begin(turn);
      if (begun.kind !== 'begun') throw new Error(`the turn did not begin: ${JSON.stringify(begun)}`);
      const branch = otherBranch ?? state().readRun(runId)?.branch ?? '';
      const written =
        files ?? (result.kind === 'pull' ? { 'fix.txt': `one\ntwo\nthree\n${branch}\n` } : null);
      const sha = written && (await twin.as('robot').pushFiles(NAME, branch, written));
      const commit = sha === null ? null : { branch, startSha: 'e'.repeat(40), sha };
      const frozen = await complete(turnKey, begun.attempt, buildParcel(result, commit));
      return { turnKey, runId, branch, frozen };
    },
    answer: (script) =>
      perform(['design_feedback', 'implementation_feedback'], async (begun) => {
        const context = FeedbackContext.parse(begun.context);
        const { sha, ...done } = await script(context, begun);
        const commit = sha === null ? null : { branch: context.branch, startSha: context.headSha, sha };
        return { ...done, commit };
      }),
  };
}

function buildParcel(
  result: PlanResult,
  commit: PlanParcel['plan']['commit'],
  {
    threadId = 't',
    stateSummary = 'so far',
    usage = {},
  }: { threadId?: string; stateSummary?: string; usage?: Partial<Usage> } = {},
): PlanParcel {
  return {
    plan: {
      version: 1,
      session: { adapter: 'command', threadId },
      commit,
      result,
      stateSummary,
      usage: { inputTokens: 1, outputTokens: 2, costUsd: 0.5, ...usage },
    },
    bundle: commit === null ? null : 'AAAA',
  };
}
