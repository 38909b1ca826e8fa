import { join } from 'node:path';
import {
  type AgentsOptions,
  chooseTestsSandbox,
  createAgents,
  endOrphans,
  listCodexNotices,
  listNodePaths,
  probeBubblewrap,
  probeCodexSandbox,
  readHostRule,
  runRequiredTests,
  type TestsSandboxChoice,
} from '@mergexo/agents';
import { findToken, type RepoConfig, type Settings } from '@mergexo/config';
import type { AgentRequest } from '@mergexo/core/agent';
import type { Log } from '@mergexo/core/basics';
import { NOTICE_TEXTS, type WorkerNotice } from '@mergexo/core/ledger';
import { createGit } from '@mergexo/git';
import { createKnownSecrets, listPassedSecrets } from './known-secrets.js';
import { chooseAgent } from './steps/ask/choose-agent.js';
import { createMakePlan, type MakePlan } from './steps/make-plan.js';
import { createPlanFeedback } from './steps/plan-feedback.js';
import { createPlanFix } from './steps/plan-fix.js';
import { createPlanReview } from './steps/plan-review.js';
import { createPlanStart } from './steps/plan-start.js';
import { createPushPlan, type PushPlan } from './steps/push-plan.js';
import type { PlanTools, RunTests } from './steps/task.js';

type Steps = { makePlan: MakePlan; pushPlan: PushPlan; notices: readonly WorkerNotice[] };

/**
 * Binds git, the agents and the sandbox to this machine. First ends processes left running by workers that were
 * killed.
 */
export async function createSteps(settings: Settings, log: Log): Promise<Steps> {
  const machine = await describeMachine(settings);
  const notices = listCodexNotices(machine);
  for (const notice of notices) log.warn({ notice }, NOTICE_TEXTS[notice]);
  const tools = await createTools(settings, machine, log);
  return {
    notices,
    makePlan: createMakePlan({
      start: createPlanStart(tools),
      feedback: createPlanFeedback(tools),
      review: createPlanReview(tools),
      fix: createPlanFix(tools),
    }),
    pushPlan: createPushPlan(tools),
  };
}

async function createTools(settings: Settings, machine: Machine, log: Log): Promise<PlanTools> {
  const { config, searchPath, childEnv, paths } = settings;
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
  const findGitHubToken = findToken(settings, () => performance.now());
  const credential = async () => {
    const token = await findGitHubToken();
    secrets.learn([token]);
    return token;
  };
  return {
    git: createGit({ baseDir, searchPath, log, credential, sshAuthSock: childEnv['SSH_AUTH_SOCK'] }),
    agents: createAgents({
      ...machine,
      limits: { wallMs: agent.timeoutSeconds * 1_000, silenceMs: agent.silenceSeconds * 1_000 },
      modelOf: (request) => chooseModel(repos, request),
      turnLogs: join(paths.logs, 'turns'),
      onLogin: (tokens) => secrets.learnTokens(tokens.filter((token) => /\d/.test(token))),
    }),
    runTests: createRunTests(settings, machine, testsSandbox),
    testsSandbox,
    repos,
    homeOf: (repo, issueNumber, kind) =>
      join(baseDir, 'agents', repo.owner, repo.name, `${issueNumber}${kind === 'review' ? '-review' : ''}`),
    now: () => new Date(),
    endOrphans: async () => (await endOrphans(runsDir)).stuck,
    redact: settings.redact,
    findSecrets: secrets.findSecrets,
    sessionMode: agent.sessionMode,
  };
}

const MEBIBYTE = 1024 * 1024;

type Machine = Omit<AgentsOptions, 'limits' | 'modelOf' | 'turnLogs'>;

/** Describes how agents run on this machine. The worker runs agents with this description, and `doctor` checks it. */
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
  const usesCodex = listAdapters(config.repos).includes('codex');
  return { ...machine, codexProbe: usesCodex ? await probeCodexSandbox(machine) : undefined };
}

/** Lists the adapters that the repositories use, for authors and reviewers. */
export function listAdapters(repos: readonly RepoConfig[]): string[] {
  return repos.flatMap((repo) => [
    repo.agent.adapter,
    ...(repo.reviewEnabled ? [repo.reviewAgent.adapter] : []),
  ]);
}

function createRunTests({ config }: Settings, { host }: Machine, choice: TestsSandboxChoice): RunTests {
  const { requiredTestsNetwork, allowedHosts } = config.sandbox;
  const network =
    requiredTestsNetwork === 'allow-list' ? allowedHosts.map(readHostRule) : requiredTestsNetwork;
  return async ({ slot, repo, issueNumber, signal, report }, path) => {
    if (choice.kind === 'refused') return { kind: 'aborted', reason: choice.reason };
    return runRequiredTests(
      { ...host, sandbox: choice.sandbox },
      {
        path,
        cwd: slot.path,
        // The tests have a separate home, because the repository's code must not read the agent's sessions and login.
        home: join(config.runtime.baseDir, 'tests', repo.owner, repo.name, String(issueNumber)),
        timeoutMs: config.agent.requiredTestsTimeoutSeconds * 1_000,
        signal,
        readOnlyPaths: [slot.mirrorPath],
        network,
        onRefusedHost: report.refusedHost,
      },
    );
  };
}

function chooseModel(repos: readonly RepoConfig[], { kind, turn }: AgentRequest): string | undefined {
  const repo = repos.find(({ fullName }) => fullName === turn.task_context.repo);
  return repo && chooseAgent(repo, kind).model;
}
