import { lstat, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { endOrphans } from '@mergexo/agents';
import { Failure } from '@mergexo/core/basics';
import {
  type AblatedItem,
  ablate,
  countFoundComments,
  type EvalCase,
  type EvalScore,
  NO_MEASURES,
  type Replay,
} from '@mergexo/core/eval';
import type { PlanParcel } from '@mergexo/core/turns';
import { removeTree } from '@mergexo/process';
import { createTools, describeMachine } from '../create-steps.js';
import { attachUploads } from '../steps/ask/attach-uploads.js';
import type { MakePlan } from '../steps/make-plan.js';
import { createPlanFeedback } from '../steps/plan-feedback.js';
import { createPlanStart } from '../steps/plan-start.js';
import { createPlanReview } from '../steps/review/plan-review.js';
import type { PlanTools } from '../steps/task.js';
import { buildReplayTurn } from './build-replay-turn.js';
import { isolateSettings, layOutWorkspace, listLeaks } from './isolate-settings.js';
import { scoreChange } from './score-change.js';
import { type ReplayParts, type Surroundings, withRealChange } from './with-real-change.js';

export type ReplayOrder = {
  evalCase: EvalCase;
  replay: Replay;
  without: AblatedItem | null;
  /**
   * The directory of this replay. The replay removes leftover directories next to it when it starts, and its own
   * directory when it ends.
   */
  workDir: string;
};

const PLANNERS: Record<Replay, (tools: PlanTools) => MakePlan> = {
  start: createPlanStart,
  feedback: createPlanFeedback,
  review: createPlanReview,
};

/** Replays one turn of a merged pull request and scores it. Pushes nothing and contacts only the git remote. */
export async function replayCase(
  around: Surroundings,
  { evalCase: complete, replay, without, workDir }: ReplayOrder,
): Promise<{ score: EvalScore; leaks: string[] }> {
  const { settings, log } = around;
  const repo = settings.config.repos.find(({ fullName }) => fullName === complete.repo);
  if (repo === undefined) throw new Failure('not-found', `${complete.repo} is missing from mergexo.toml.`);
  const workspace = layOutWorkspace(workDir);
  const isolated = isolateSettings(settings, repo, workspace);
  const machine = await describeMachine(isolated);
  await sweep(workDir);
  const tools = await createTools(isolated, machine, log);
  try {
    const omits = without === null ? [] : [without];
    const evalCase = ablate(complete, without);
    const parts = { around, workspace, repo, tools: { ...tools, omits }, evalCase, replay };
    const about = { prNumber: evalCase.prNumber, replay, without };
    const score = { ...about, ...(await runReplay(parts)) };
    return {
      score,
      leaks: listLeaks(settings, repo, { hasBubblewrap: machine.bubblewrap.kind === 'works' }),
    };
  } finally {
    await removeTree(workDir);
  }
}

/**
 * Ends the agents of killed replays and removes their directories, which may contain the merged change. An earlier
 * replay may still be ending, so each process has its own directory.
 */
async function sweep(workDir: string): Promise<void> {
  const parent = dirname(workDir);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  // Somebody else's directory must survive: a link could lead there.
  if (!(await lstat(parent)).isDirectory()) throw new Failure('conflict', `${parent} is a link. Delete it.`);
  for (const name of (await readdir(parent)).filter((entry) => /^\d+$/.test(entry))) {
    await endOrphans(join(parent, name, 'runs'));
    await removeTree(join(parent, name));
  }
}

type Outcome = Omit<EvalScore, 'prNumber' | 'replay' | 'without'>;
type Measures = Omit<Outcome, 'outcome' | 'reason' | 'usage' | 'minutes'>;

const MAX_REASON = 2_000;

const NOTHING = { usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 }, minutes: 0 };

async function runReplay(parts: ReplayParts): Promise<Outcome> {
  const { around, workspace, tools, evalCase, replay } = parts;
  const skip = (reason: string): Outcome => ({ ...NO_MEASURES, ...NOTHING, outcome: 'skipped', reason });
  const unfit = await prepare(parts);
  if (unfit !== undefined) return skip(unfit);
  const startedAt = performance.now();
  const begun = buildReplayTurn(evalCase, replay);
  const makePlan = attachUploads(join(workspace.dir, 'attachments'), PLANNERS[replay](tools));
  const planned = await makePlan(begun, around.signal, around.report);
  const minutes = (performance.now() - startedAt) / 60_000;
  if (around.signal.aborted) throw new Failure('unavailable', 'the replay was interrupted');
  if (planned.kind === 'failed') {
    // A missing login or an overloaded model says nothing about the agent's quality. The caller retries later.
    if (planned.cause === 'infrastructure') throw new Failure('unavailable', planned.reason);
    const { reason, usage } = planned;
    return { ...(await scoreResult(parts, null)), outcome: 'failed', reason, usage, minutes };
  }
  const { result, usage } = planned.parcel.plan;
  const isUnfinished = result.kind === 'wait' || result.kind === 'block';
  return {
    ...(await scoreResult(parts, planned.parcel)),
    outcome: isUnfinished ? 'unfinished' : 'done',
    reason: isUnfinished ? result.reason.slice(0, MAX_REASON) : null,
    usage,
    minutes,
  };
}

/** Creates the agent's repository, which contains only the history up to the start commit. Returns why the pull request cannot be replayed; undefined if it can. */
async function prepare(parts: ReplayParts): Promise<string | undefined> {
  const { workspace, repo, evalCase, replay } = parts;
  const prepared = await withRealChange(parts, async (real, testBranch) => {
    const { archive, base, startSha, mergeSha } = real;
    const context = evalCase[replay];
    const branches = {
      [repo.defaultBranch]: base,
      ...(context !== null && 'pull' in context && { [context.pull.baseBranch]: base }),
      ...(context !== null && replay !== 'start' && { [context.branch]: startSha }),
    };
    await archive.cut({ dir: workspace.cut, head: repo.defaultBranch, branches });
    if (replay === 'review') return undefined;
    const merged = await archive.overlay({ onto: mergeSha, from: [], branch: 'merged' });
    if ((await testBranch('merged', merged)) !== false) return undefined;
    return '`required_tests` fail on the merged commit itself, so the tests cannot judge the agent';
  });
  return prepared.kind === 'unfit' ? prepared.reason : prepared.value;
}

/** Scores the agent's result. Without a result, the score is that of an agent that changed and found nothing. */
async function scoreResult(parts: ReplayParts, parcel: PlanParcel | null): Promise<Measures> {
  const { evalCase, replay, repo } = parts;
  if (replay === 'review') return scoreReview(evalCase, parcel);
  const { requiredTests, testFileRegex } = repo;
  const scored = await withRealChange(parts, (real, testBranch) => {
    const result = { sha: parcel?.plan.commit?.sha ?? real.startSha, bundle: parcel?.bundle ?? null };
    return scoreChange(real, result, { testBranch, requiredTests, testFileRegex });
  });
  if (scored.kind === 'unfit') throw new Failure('unavailable', scored.reason);
  return { ...NO_MEASURES, ...scored.value };
}

function scoreReview({ places }: EvalCase, parcel: PlanParcel | null): Measures {
  const result = parcel?.plan.result;
  const { raised, refuted } = result?.kind === 'review' ? result : { raised: [], refuted: [] };
  return {
    ...NO_MEASURES,
    commentsFound: countFoundComments(places, raised),
    commentsTotal: places.length,
    findings: raised.length + refuted.length,
    findingsRefuted: refuted.length,
  };
}
