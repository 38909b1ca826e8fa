import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAgents, runRepositoryProgram, type TestsSandboxChoice } from '@mergexo/agents';
import type { RepoConfig } from '@mergexo/config';
import { AgentRequest } from '@mergexo/core/agent';
import { silentLog } from '@mergexo/core/basics';
import type { BegunTurn } from '@mergexo/core/ledger';
import { createFindSecrets, createRedact } from '@mergexo/core/text';
import type { TurnKind } from '@mergexo/core/turns';
import { createGit } from '@mergexo/git';
import type { PlanTools, RunProgram } from '../task.js';
import { aRepo } from './a-repo.js';

export const SECRET = 'hunter2-hunter2';
export const TURN_KEY = 'c'.repeat(64);

/** One run of the agent, which executes a shell script in the slot and then returns an answer. */
export type Step = { shell?: string; answer: unknown };

/** The usage that each run reports. */
const USAGE = { input_tokens: 10, output_tokens: 5, cost_usd: 0.5 };

export function say(output: object, shell?: string): Step {
  const answer = { session: { thread_id: 'thread-8' }, output, usage: USAGE };
  return { answer, ...(shell !== undefined && { shell }) };
}

export const LOST_SESSION: Step = { answer: { error: 'session_lost', usage: USAGE } };

export type Script = {
  steps: readonly Step[];
  repo?: Partial<RepoConfig> | undefined;
  testsSandbox?: TestsSandboxChoice | undefined;
  /** A directory in which several stages keep the results of setup. */
  setupDirectory?: string | undefined;
  setupTimeoutMs?: number | undefined;
  testsTimeoutMs?: number | undefined;
};

type Surroundings = { dir: string; remoteUrl: string; token: string | undefined };

/** The agent program that performs the steps. */
const AGENT = fileURLToPath(new URL('./stepping-agent.mjs', import.meta.url));

/** The tools of a planner, with real git, real processes and one scripted agent. */
export function createStage({ dir, remoteUrl, token }: Surroundings, { steps, ...options }: Script) {
  const home = join(dir, 'home');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'steps.json'), JSON.stringify(steps));
  const repo = aRepo({ remoteUrl, ...options.repo });
  const searchPath = process.env['PATH'] ?? '/usr/bin:/bin';
  const git = createGit({
    baseDir: join(dir, 'git'),
    searchPath,
    log: silentLog,
    credential: async () => token,
  });
  const host = { env: { PATH: searchPath }, passEnv: [], runsDir: join(dir, 'runs'), readOnlyPaths: [] };
  const createRun =
    (timeoutMs: number): RunProgram =>
    ({ slot, signal }, program) =>
      runRepositoryProgram(
        { ...host, sandbox: { kind: 'none' } },
        { path: program.path, cwd: slot.path, home: program.home ?? home, timeoutMs, signal },
      );
  const tools: PlanTools = {
    git,
    agents: createAgents({
      host,
      sandbox: 'none',
      bubblewrap: { kind: 'unusable', reason: 'not in this test' },
      limits: { wallMs: 60_000, silenceMs: 60_000 },
      settings: { command: { argv: [process.execPath, AGENT] } },
    }),
    runTests: createRun(options.testsTimeoutMs ?? 60_000),
    runSetup: createRun(options.setupTimeoutMs ?? 60_000),
    setupDirectoryOf: (_repo, slot) => join(options.setupDirectory ?? dir, 'setup', basename(slot.path)),
    answerLimits: { wallMs: 600_000, silenceMs: 300_000 },
    testsSandbox: options.testsSandbox ?? { kind: 'chosen', sandbox: { kind: 'none' } },
    repos: [repo],
    homeOf: () => home,
    handoutsOf: () => join(dir, 'handouts'),
    now: () => new Date(0),
    endOrphans: async () => [],
    redact: createRedact([SECRET]),
    findSecrets: createFindSecrets([SECRET]),
    sessionMode: 'resume',
  };
  const calls = (): AgentRequest[] =>
    readFileSync(join(home, 'calls.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => AgentRequest.parse(JSON.parse(line)));
  return { tools, git, repo, calls };
}

export function aBegunTurn(turnKind: TurnKind, context: object): BegunTurn {
  return {
    kind: 'begun',
    turnKey: TURN_KEY,
    attempt: 1,
    turnKind,
    repoId: 1,
    issueNumber: 7,
    prNumber: null,
    context: JSON.parse(JSON.stringify(context)),
    frozen: null,
    author: { name: 'robot', email: '2+robot@users.noreply.localhost' },
  };
}
