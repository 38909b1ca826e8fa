import { isWaitingToRetry } from '@mergexo/core/ledger';
import { findPause } from '@mergexo/core/runs';
import type { StageFacts } from '@mergexo/core/signs';
import type { Pull, Run } from '@mergexo/state';
import { readTurnLimit } from '../lifecycle/agent-limits.js';
import { readPullOf } from '../lifecycle/read-pull-of.js';
import type { Records, Repo } from '../tools.js';
import { isTakenOver } from './list-reactions.js';

/** Reads the facts that decide the stage of a run. */
export function readStageFacts(tools: Pick<Records, 'state' | 'now'>, repo: Repo, run: Run): StageFacts {
  const { state, now } = tools;
  const pull = readPullOf(state, run);
  const turn = state.readLiveTurnOfRun(run.id);
  const { status, endedKind, blockedKind, error, schedule } = run;
  return {
    run: { status, endedKind, blockedKind, error, scheduleReason: schedule?.reason ?? null },
    pull: pull && { ...toStagePull(pull), humanReviewRequired: pull.humanReviewRequired },
    isTakenOver: isTakenOver(state, run),
    ignoreLabel: repo.config.labels.ignore,
    turn: turn && {
      kind: turn.kind,
      state: turn.state,
      isBegun: turn.workerId !== null,
      openedAt: turn.openedAt,
      retryAt: isWaitingToRetry(turn, now()) ? turn.notBefore : null,
    },
    pause: findPause(state.listPauses(), run),
    limit: turn && readTurnLimit(tools, repo.config, turn),
    pending: pull === undefined ? 0 : state.listUnclaimedEvents(repo.id, pull.prNumber).length,
    now: now(),
  };
}

export function toStagePull({ prNumber: number, url, status }: Pull) {
  return { number, url: url ?? '', status };
}
