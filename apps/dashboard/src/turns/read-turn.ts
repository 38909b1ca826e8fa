import { attemptOf } from '@mergexo/core/turns';
import { readTurnUse, type Snapshot, type StoredStep } from '@mergexo/state';

export type TurnDetails = NonNullable<ReturnType<typeof readTurnDetails>>;
export type TurnSteps = ReturnType<typeof readTurnSteps>;

/** Maximum number of steps when the page loads. The script appends new steps. */
export const SHOWN_STEPS = 500;

/** Reads the facts about a turn, without its steps. */
export function readTurnDetails(facts: Snapshot, turnKey: string) {
  const { state } = facts;
  const turn = state.readTurn(turnKey);
  if (turn === undefined) return undefined;
  const { kind, state: turnState, workerId, reason, openedAt, endedAt, runId, prNumber } = turn;
  const repository = state.readRepository(turn.repoId);
  const run = runId === null ? undefined : state.readRun(runId);
  const pull = prNumber === null ? undefined : state.readPull(turn.repoId, prNumber);
  return {
    turnKey,
    repo: repository === undefined ? '' : `${repository.owner}/${repository.name}`,
    issue: turn.issueNumber ?? run?.issueNumber ?? null,
    title: run?.issueTitle ?? '',
    pr: prNumber,
    url: pull?.url ?? null,
    kind,
    state: turnState,
    attempt: attemptOf(turn),
    worker: workerId,
    reason,
    openedAt,
    endedAt,
    use: readTurnUse(facts, turnKey),
  };
}

/** Reads the latest steps of a turn, and the id after which the next steps begin. */
export function readTurnSteps(
  { state }: Pick<Snapshot, 'state'>,
  turnKey: string,
): { steps: StoredStep[]; cursor: number } {
  return { steps: state.listLatestAgentSteps({ turnKey }, SHOWN_STEPS), cursor: state.readLastStepId() };
}
