import type { Config } from '@mergexo/config';
import { planNotice } from '@mergexo/core/actions';
import { findCap, findPause } from '@mergexo/core/runs';
import {
  type BlockedStart,
  type Candidate,
  chooseImplementations,
  DEFAULT_WEIGHTS,
  type ImplementationChoice,
  type ImplementationQuestion as Question,
  type Ranked,
  renderHeldReason,
} from '@mergexo/core/scheduler';
import type { Run, State } from '@mergexo/state';
import { skipUnreadable } from '../attempt.js';
import { isHeld } from '../lifecycle/pause.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { measureUse } from '../lifecycle/run/measure-use.js';
import { parkRun, unparkRun } from '../lifecycle/run/run.js';
import { updateRun } from '../lifecycle/update.js';
import type { Repo } from '../tools.js';
import { readBlockedBy } from './hold-blocked.js';
import { listActive, listSettled, type WorkTools } from './list-work.js';
import { attemptStart, type OpenTools } from './open-start-turns.js';

export type ScheduleTools = OpenTools & {
  github: OpenTools['github'] & WorkTools['github'];
  weights: Config['scheduler'];
  maxConcurrent: number;
  isInRebuildWindow: (repo: Repo) => boolean;
};

/**
 * Starts implementations of merged designs, up to one limit that all repositories share. Holds back those that would
 * conflict with open work, and records why. Makes no requests if there are no candidates.
 */
export async function scheduleImplementations(tools: ScheduleTools, repos: readonly Repo[]): Promise<void> {
  const { state } = tools;
  const running = repos
    .flatMap(({ id }) => state.listRuns(id, ['running']))
    .filter((run) => isImplementation(run) && !isPaused(state, run));
  let free = Math.max(0, tools.maxConcurrent - running.length);
  const choices: { repo: Repo; choice: ImplementationChoice }[] = [];
  for (const repo of repos.filter((other) => !tools.isInRebuildWindow(other))) {
    const candidates = listCandidates(tools, repo);
    const blockedStarts = listBlockedStarts(tools.state, repo);
    if (candidates.length === 0 && blockedStarts.length === 0) continue;
    const about = {
      message: 'could not read open work to schedule implementations; MergeXO retries in the next cycle',
      repo: repo.config.fullName,
    };
    const choice = await skipUnreadable(tools.log, about, () =>
      choose(tools, repo, { candidates, blockedStarts, free }),
    );
    if (choice !== undefined) choices.push({ repo, choice });
  }
  for (const { repo, choice } of choices) note(tools, repo, choice);
  for (const { repo, ranked } of takeTurns(choices)) {
    if (free === 0) {
      noteHeld(tools, ranked, 'no free slot');
      continue;
    }
    const run = state.readRun(ranked.candidate.runId);
    if (run === undefined) continue;
    await attemptStart(tools, repo, run);
    if (state.readRun(run.id)?.status === 'running') free -= 1;
  }
}

function isImplementation({ flow }: Run): boolean {
  return flow === 'implementation';
}

/** True if the turn of the run waits for an operator. Such a run must not use up the place of other work. */
function isPaused(state: State, run: Run): boolean {
  const turn = state.readLiveTurnOfRun(run.id);
  return turn !== undefined && isHeld(state, turn);
}

/** Takes the best candidate of each repository before any second-best one, so that none delays the others. */
function takeTurns(
  choices: readonly { repo: Repo; choice: ImplementationChoice }[],
): { repo: Repo; ranked: Ranked }[] {
  const longest = Math.max(0, ...choices.map(({ choice }) => choice.chosen.length));
  return Array.from({ length: longest }, (_, round) =>
    choices.flatMap(({ repo, choice }) => {
      const ranked = choice.chosen[round];
      return ranked === undefined ? [] : [{ repo, ranked }];
    }),
  ).flat();
}

/** Lists ready implementations that are within their own limits and that no operator has paused. */
function listCandidates(tools: ScheduleTools, repo: Repo): Run[] {
  const pauses = tools.state.listPauses();
  const ready = tools.state.listRuns(repo.id, ['ready']).filter(isImplementation);
  return ready.filter((run) => {
    if (run.ignoredSince !== null || findPause(pauses, run) !== undefined) return false;
    const cap = findCap(tools.limits, { ...measureUse(tools, repo, run), openPulls: 0 });
    if (cap === undefined) unparkRun(tools, run);
    else parkRun(tools, run, cap);
    return cap === undefined;
  });
}

async function choose(
  tools: ScheduleTools,
  repo: Repo,
  {
    candidates,
    blockedStarts,
    free,
  }: Pick<Question, 'blockedStarts' | 'free'> & { candidates: readonly Run[] },
): Promise<ImplementationChoice> {
  const hasCandidates = candidates.length > 0;
  const active = hasCandidates ? await listActive(tools, repo) : [];
  const settled = hasCandidates ? await listSettled(tools, repo, candidates) : [];
  return chooseImplementations({
    repo: repo.config.fullName,
    candidates: candidates.map((run) => toCandidate(tools.state, run)),
    active,
    settled,
    blockedStarts,
    free,
    pulls: { open: countOpen(tools.state, repo), max: tools.limits.maxOpenPrs },
    nowMs: tools.now(),
    weights: { ...DEFAULT_WEIGHTS, ...tools.weights },
  });
}

/** Counts open pull requests. Running implementations count too, because each will open a pull request. */
function countOpen(state: State, { id }: Repo): number {
  const underWay = state
    .listRuns(id, ['running'])
    .filter((run) => isImplementation(run) && run.prNumber === null);
  return state.listWatchedPulls(id).length + underWay.length;
}

/** Lists other work whose first turn waits for issues that block its issue. */
function listBlockedStarts(state: State, { id }: Repo): BlockedStart[] {
  if (state.listBlockers(id).length === 0) return [];
  return state.listRuns(id, ['ready']).flatMap((run) => {
    const blockedBy = isImplementation(run) ? null : readBlockedBy(state, run);
    return blockedBy === null ? [] : [{ issueNumber: run.issueNumber, blockedBy }];
  });
}

function toCandidate(state: State, run: Run): Candidate {
  return {
    runId: run.id,
    issueNumber: run.issueNumber,
    documentPath: run.designDocPath ?? '',
    priority: run.labelPriority ?? run.priority,
    touchPaths: run.conflictHintPaths ?? [],
    dependsOn: run.dependsOn ?? [],
    size: run.estimatedSize ?? 'M',
    readySinceMs: run.createdAt,
    blockedBy: readBlockedBy(state, run),
  };
}

function note(tools: ScheduleTools, repo: Repo, { held, cycles }: ImplementationChoice): void {
  for (const one of held) noteHeld(tools, one, renderHeldReason(one.reason));
  for (const members of cycles) reportCycle(tools, repo, members);
}

/** Saves the score and the reason. Records an event only if the reason changed, because the score changes often. */
function noteHeld(tools: ScheduleTools, { candidate, score, risk }: Ranked, reason: string): void {
  const { state } = tools;
  state.transaction(() => {
    const run = state.readRun(candidate.runId);
    if (run === undefined || run.status !== 'ready') return;
    const schedule = { score: round(score), risk: round(risk), reason };
    if (JSON.stringify(run.schedule) === JSON.stringify(schedule)) return;
    updateRun(tools, run, { schedule });
    if (run.schedule?.reason === reason) return;
    const { repoId, id: runId, issueNumber } = run;
    recordEvents(tools, [{ type: 'implementation_held', repoId, runId, issueNumber, payload: schedule }]);
  });
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Reports each dependency cycle once, on its lowest issue. A person must edit a document or an issue to break it. */
function reportCycle(tools: ScheduleTools, repo: Repo, members: readonly number[]): void {
  const { state, now } = tools;
  const sorted = [...members].sort((a, b) => a - b);
  const [first] = sorted;
  const run = state.listRuns(repo.id, ['ready']).find(({ issueNumber }) => issueNumber === first);
  if (run === undefined || first === undefined) return;
  const text = `This work ${renderHeldReason({ kind: 'dependency-cycle', members: sorted })}.`;
  const about = { repoId: repo.id, runId: run.id, thread: first, cause: ['cycle', ...sorted] };
  const notice = planNotice({ ...about, kind: 'park_notice', payload: { text } });
  state.transaction(() => {
    if (state.readAction(notice.id) !== undefined) return;
    state.recordActions([notice], now());
    recordEvents(tools, [
      {
        type: 'dependency_cycle',
        repoId: repo.id,
        runId: run.id,
        issueNumber: first,
        payload: { members: sorted },
      },
    ]);
  });
}
