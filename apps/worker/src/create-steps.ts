import { basename, join } from 'node:path';
import {
  type AgentsOptions,
  chooseTestsSandbox,
  createAgents,
  endOrphans,
  listCodexNotices,
  listNodePaths,
  probeBubblewrap,
  probeCodexSandbox,
  probeCommandSandbox,
} from '@mergexo/agents';
import { findToken, type RepoConfig, type Settings } from '@mergexo/config';
import type { AgentRequest } from '@mergexo/core/agent';
import type { Log } from '@mergexo/core/basics';
import { NOTICE_TEXTS, type WorkerNotice } from '@mergexo/core/ledger';
import { type QuestionKind, traitsOf, turnKindOf } from '@mergexo/core/turns';
import { createGit } from '@mergexo/git';
import { findAttemptCredential } from './attempt-credential.js';
import { createKnownSecrets, listPassedSecrets } from './known-secrets.js';
import { refuseBrokenSandbox } from './refuse-broken-sandbox.js';
import { createRunPrograms } from './run-programs.js';
import { attachUploads } from './steps/ask/attach-uploads.js';
import { createMakePlan, type MakePlan } from './steps/make-plan.js';
import { createPlanFeedback } from './steps/plan-feedback.js';
import { createPlanFix } from './steps/plan-fix.js';
import { createPlanStart } from './steps/plan-start.js';
import { createPushPlan, type PushPlan } from './steps/push-plan.js';
import { createPlanReview } from './steps/review/plan-review.js';
import type { PlanTools } from './steps/task.js';

type Steps = { makePlan: MakePlan; pushPlan: PushPlan; notices: readonly WorkerNotice[] };

/**
 * Binds git, the agents and the sandbox to this machine. First ends processes left running by workers that were
 * killed. Fails if the sandbox keeps every agent from starting.
 */
export async function createSteps(settings: StepSettings, log: Log): Promise<Steps> {
  const machine = await describeMachine(settings);
  const notices = listCodexNotices(machine);
  for (const notice of notices) log.warn({ notice }, NOTICE_TEXTS[notice]);
  const tools = await createTools(settings, machine, log);
  refuseBrokenSandbox(machine, tools.agents, listAdapters(settings.config.repos));
  return {
    notices,
    makePlan: attachUploads(
      join(settings.config.runtime.baseDir, 'attachments'),
      createMakePlan({
        start: createPlanStart(tools),
        feedback: createPlanFeedback(tools),
        review: createPlanReview(tools),
        fix: createPlanFix(tools),
      }),
    ),
    pushPlan: createPushPlan(tools),
  };
}

/** With `repos`, each turn uses the latest keys of its repository. */
type StepSettings = Settings & { repos?: () => readonly RepoConfig[] };

/** Creates the tools that all planners share. */
export async function createTools(settings: StepSettings, machine: Machine, log: Log): Promise<PlanTools> {
  const { config, searchPath, childEnv, paths, proxy, extraCaCerts } = settings;
  const { agent, repos } = config;
  const { baseDir } = config.runtime;
  const { runsDir } = machine.host;
  const { ended, stuck } = await endOrphans(runsDir);
  if (ended.length + stuck.length > 0)
    log.warn({ ended, stuck }, 'ended processes that a killed worker left running');
  const testsSandbox = chooseTestsSandbox({ ...config.sandbox, ...agent }, machine.bubblewrap);
  const secrets = createKnownSecrets(settings.redact, [
    ...settings.secrets,
    ...listPassedSecrets(agent.passEnv, childEnv),
  ]);
  const limits = { wallMs: agent.timeoutSeconds * 1_000, silenceMs: agent.silenceSeconds * 1_000 };
  const findGitHubToken = findToken(settings, () => performance.now());
  const credential = async () => {
    const askPoller = findAttemptCredential();
    const token = await (askPoller ?? findGitHubToken)();
    if (askPoller === undefined) secrets.learn([token]);
    else secrets.learnTokens([token]);
    return token;
  };
  return {
    git: createGit({
      ...{ baseDir, searchPath, log, credential, proxy, extraCaCerts },
      sshAuthSock: childEnv['SSH_AUTH_SOCK'],
    }),
    agents: createAgents({
      ...machine,
      limits,
      modelOf: (request, adapter) => chooseModel(repos, request, adapter),
      turnLogs: join(paths.logs, 'turns'),
      onLogin: (tokens) => secrets.learnTokens(tokens.filter((token) => /\d/.test(token))),
    }),
    ...createRunPrograms(settings, { ...machine, choice: testsSandbox }),
    setupDirectoryOf: (repo, slot) => join(baseDir, 'setup', repo.owner, repo.name, basename(slot.path)),
    answerLimits: limits,
    testsSandbox,
    get repos() {
      return settings.repos?.() ?? repos;
    },
    homeOf: ({ repo, issueNumber, begun }, kind) => {
      const parts = [issueNumber, HOME_SUFFIXES[kind] ?? [], begun.adapter ?? []];
      return join(baseDir, 'agents', repo.owner, repo.name, parts.flat().join('-'));
    },
    handoutsOf: (repo, slot) => join(baseDir, 'handouts', repo.owner, repo.name, basename(slot.path)),
    now: () => new Date(),
    endOrphans: async () => (await endOrphans(runsDir)).stuck,
    redact: settings.redact,
    findSecrets: secrets.findSecrets,
    sessionMode: agent.sessionMode,
  };
}

const HOME_SUFFIXES: { readonly [Kind in QuestionKind]?: string } = {
  review: 'review',
  review_verify: 'review-verify',
};

const MEBIBYTE = 1024 * 1024;

type Machine = Omit<AgentsOptions, 'limits' | 'modelOf' | 'turnLogs'>;

/** Describes how agents run on this machine. The worker uses this description to run agents, and `doctor` checks it. */
export async function describeMachine({ config, childEnv, searchPath, redact }: Settings): Promise<Machine> {
  const { agent, runtime } = config;
  const host = {
    env: childEnv,
    passEnv: agent.passEnv,
    runsDir: join(runtime.baseDir, 'runs'),
    readOnlyPaths: listNodePaths(process.execPath),
    resources: {
      memoryBytes: agent.maxMemoryMb * MEBIBYTE,
      processes: agent.maxProcesses,
      openFiles: agent.maxOpenFiles,
      diskBytes: agent.maxDiskMb * MEBIBYTE,
    },
    allowNesting: agent.allowNestedSandboxes,
    redact,
  };
  const bubblewrap = await probeBubblewrap(searchPath);
  const machine = { host, sandbox: agent.sandbox, bubblewrap, settings: config };
  const adapters = listAdapters(config.repos);
  return {
    ...machine,
    codexProbe: adapters.includes('codex') ? await probeCodexSandbox(machine) : undefined,
    claudeProbe: adapters.includes('claude') ? await probeCommandSandbox(machine) : undefined,
  };
}

/** Lists the adapters that the repositories use, for authors and reviewers, with their fallbacks. */
export function listAdapters(repos: readonly RepoConfig[]): string[] {
  return repos
    .flatMap((repo) => [repo.agent, ...(repo.reviewEnabled ? [repo.reviewAgent] : [])])
    .flatMap((agent) => [agent.adapter, ...agent.fallback.map(({ adapter }) => adapter)]);
}

function chooseModel(
  repos: readonly RepoConfig[],
  { kind, turn }: AgentRequest,
  adapter: string,
): string | undefined {
  const repo = repos.find(({ fullName }) => fullName === turn.task_context.repo);
  const agent = repo?.[traitsOf(turnKindOf(kind)).agent];
  return [agent, ...(agent?.fallback ?? [])].find((choice) => choice?.adapter === adapter)?.model;
}
