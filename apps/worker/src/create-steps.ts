import { join } from 'node:path';
import {
  chooseTestsSandbox,
  createAgents,
  endOrphans,
  listNodePaths,
  probeBubblewrap,
  runRequiredTests,
} from '@mergexo/agents';
import { findToken, type RepoConfig, type Settings } from '@mergexo/config';
import type { AgentRequest } from '@mergexo/core/agent';
import type { Log } from '@mergexo/core/basics';
import type { BegunTurn } from '@mergexo/core/ledger';
import { createRedact } from '@mergexo/core/text';
import { type PlanParcel, StartContext } from '@mergexo/core/turns';
import { createGit, type Git } from '@mergexo/git';
import { chooseAgent } from './steps/ask/choose-agent.js';
import { readRules } from './steps/ask/read-rules.js';
import { createMakePlan, type MakePlan } from './steps/make-plan.js';
import { createPlanFeedback } from './steps/plan-feedback.js';
import { createPlanFix } from './steps/plan-fix.js';
import { createPlanReview } from './steps/plan-review.js';
import { createPlanStart } from './steps/plan-start.js';
import type { Pushed, PushPlan } from './steps/push-plan.js';
import type { PlanTools, RunTests } from './steps/task.js';

export type Steps = { makePlan: MakePlan; pushPlan: PushPlan };

/** Binds git, the agents and the sandbox to this machine. Whatever a killed worker left running is ended first. */
export async function createSteps(settings: Settings, log: Log): Promise<Steps> {
  const { config } = settings;
  const { baseDir } = config.runtime;
  const runsDir = join(baseDir, 'runs');
  const { ended, stuck } = await endOrphans(runsDir);
  if (ended.length + stuck.length > 0) log.warn({ ended, stuck }, 'ended what a killed worker left running');

  const git = createGit({
    baseDir,
    searchPath: settings.searchPath,
    log,
    credential: findToken(settings, () => performance.now()),
    sshAuthSock: settings.childEnv['SSH_AUTH_SOCK'],
  });
  const bubblewrap = await probeBubblewrap(settings.searchPath);
  const host = {
    env: settings.childEnv,
    passEnv: config.agent.passEnv,
    runsDir,
    readOnlyPaths: listNodePaths(process.execPath),
  };
  const agents = createAgents({
    host,
    sandbox: config.agent.sandbox,
    bubblewrap,
    limits: { wallMs: config.agent.timeoutSeconds * 1_000, silenceMs: config.agent.silenceSeconds * 1_000 },
    ...(config.command.argv !== undefined && { command: { argv: config.command.argv } }),
    codex: config.codex,
    claude: config.claude,
    modelOf: (request) => chooseModel(config.repos, request),
    turnLogs: join(settings.paths.logs, 'turns'),
  });
  const homeOf: PlanTools['homeOf'] = (repo, issueNumber, kind) =>
    join(baseDir, 'agents', repo.owner, repo.name, `${issueNumber}${kind === 'review' ? '-review' : ''}`);

  const testsSandbox = chooseTestsSandbox(config.agent, bubblewrap);
  const judge: RunTests = async ({ slot, repo, issueNumber, signal }, path) => {
    if (testsSandbox.kind === 'refused') return { kind: 'aborted', reason: testsSandbox.reason };
    return runRequiredTests(
      { ...host, sandbox: testsSandbox.sandbox },
      {
        path,
        cwd: slot.path,
        // Not the agent's: the repository's code has no business with its sessions and its login.
        home: join(baseDir, 'tests', repo.owner, repo.name, String(issueNumber)),
        timeoutMs: config.agent.requiredTestsTimeoutSeconds * 1_000,
        signal,
        readOnlyPaths: [slot.mirrorPath],
      },
    );
  };
  const tools: PlanTools = {
    git,
    agents,
    judge,
    testsSandbox,
    repos: config.repos,
    homeOf,
    now: () => new Date(),
    endOrphans: async () => (await endOrphans(runsDir)).stuck,
    redact: createRedact(settings.secrets),
    sessionMode: config.agent.sessionMode,
    readRules,
  };
  return {
    makePlan: createMakePlan({
      start: createPlanStart(tools),
      feedback: createPlanFeedback(tools),
      review: createPlanReview(tools),
      fix: createPlanFix(tools),
    }),
    pushPlan: createPushPlan(git, config.repos),
  };
}

function chooseModel(repos: readonly RepoConfig[], { kind, turn }: AgentRequest): string | undefined {
  const repo = repos.find(({ fullName }) => fullName === turn.task_context.repo);
  return repo && chooseAgent(repo, kind).model;
}

function createPushPlan(git: Git, repos: readonly RepoConfig[]): PushPlan {
  return async (begun, parcel, signal) => {
    const repo = repos.find(({ fullName }) => fullName === repoOf(begun));
    const request = buildPublish(parcel);
    if (repo === undefined || request === undefined) {
      return {
        kind: 'failed',
        reason: `${repoOf(begun)} is not in this worker's configuration`,
        retryAfterMs: 60_000,
      };
    }
    const published = await git.publish(repo, { ...request, continues: continuesBranch(begun), signal });
    return toPushed(published);
  };
}

/** The branch was there when the work began. */
function continuesBranch({ prNumber, context }: BegunTurn): boolean {
  if (prNumber !== null) return true;
  const start = StartContext.safeParse(context);
  return start.success && (start.data.followup?.checkpoint ?? null) !== null;
}

function repoOf({ context }: BegunTurn): string {
  return typeof context === 'object' && context !== null && 'repo' in context
    ? String(context['repo'])
    : 'unknown';
}

function buildPublish({ plan, bundle }: PlanParcel) {
  if (plan.commit === null || bundle === null) return undefined;
  return { ...plan.commit, bundle: Buffer.from(bundle, 'base64') };
}

function toPushed(published: Awaited<ReturnType<Git['publish']>>): Pushed {
  switch (published.kind) {
    case 'pushed':
      return { kind: 'pushed', reason: null };
    case 'superseded':
      return { kind: 'superseded', reason: `the branch is at ${published.remoteHead ?? 'nothing'} now` };
    case 'refused':
      return { kind: 'refused', reason: published.reason.slice(0, 2_000) };
    case 'failed':
      return { kind: 'failed', reason: published.reason.slice(0, 2_000), retryAfterMs: null };
  }
}
