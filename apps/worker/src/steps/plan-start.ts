import { type Agents, type AgentUsage, NO_USAGE } from '@mergexo/agents';
import type { RepoConfig } from '@mergexo/config';
import { type BegunTurn, failpoint, type PlanParcel, type PlanResult, StartContext } from '@mergexo/core';
import type { Git, Slot } from '@mergexo/git';
import { askForStart, type Idea } from './ask-for-start.js';
import { checkWork, type Judge } from './check-work.js';
import type { MakePlan, Planned } from './make-plan.js';

export type StartTools = {
  git: Git;
  agents: Agents;
  judge: Judge;
  repos: readonly RepoConfig[];
  /** The agent's home for one issue, kept so that its session can be resumed. */
  homeOf: (repo: RepoConfig, issueNumber: number) => string;
  now: () => Date;
  /** Ends what killed workers left running; names what could not be ended. */
  endOrphans: () => Promise<readonly string[]>;
};

/** Everything that the steps of one start share. */
export type Start = {
  begun: BegunTurn;
  context: StartContext;
  repo: RepoConfig;
  slot: Slot;
  startSha: string;
  baseSha: string;
  signal: AbortSignal;
};

/** Required tests that fail go back to the agent this often. */
const MAX_REPAIRS = 3;

/** From an issue to commits that are ready to be frozen; nothing has been sent yet. */
export function createPlanStart(tools: StartTools): MakePlan {
  return async (begun, signal) => {
    const context = StartContext.parse(begun.context);
    const repo = tools.repos.find(({ fullName }) => fullName === context.repo);
    if (repo === undefined) return trouble(`${context.repo} is not in this worker's configuration`);
    // An agent of a killed worker may still write into the slot that comes next.
    const stuck = await tools.endOrphans();
    if (stuck.length > 0) return trouble(`processes of a killed worker cannot be ended: ${stuck.join(', ')}`);
    const slot = await tools.git.leaseSlot(repo, signal);
    try {
      const { branch } = context;
      const restored = await slot.restore({ branch, startSha: null, baseBranch: repo.defaultBranch });
      if (restored.kind === 'mismatch') return trouble(`${branch} could not be prepared`);
      failpoint('worker:slot-restored');
      const { head: startSha, baseSha } = restored;
      return await work(tools, { begun, context, repo, slot, startSha, baseSha, signal });
    } finally {
      await slot.release();
    }
  };
}

async function work(tools: StartTools, start: Start): Promise<Planned> {
  let usage: AgentUsage = NO_USAGE;
  let threadId: string | null = null;
  let complaint: string | null = null;
  for (let round = 0; ; round += 1) {
    const asked = await askForStart(tools, start, { threadId, complaint });
    if (asked.kind === 'failed') return asked.planned;
    const { idea } = asked;
    threadId = idea.threadId;
    usage = add(usage, idea.usage);
    const parcel = (result: PlanResult, commit: Commit | null = null): Planned => ({
      kind: 'planned',
      parcel: buildParcel(start, { ...idea, usage }, result, commit),
    });
    failpoint('worker:agent-ended');
    if (idea.kind === 'blocked')
      return parcel({ kind: 'wait', waitKind: 'agent_blocked', reason: idea.reason });

    const checked = await checkWork(tools.judge, start, idea);
    switch (checked.kind) {
      case 'good':
        return parcel(idea.result, checked.commit);
      case 'wait':
        return parcel({ kind: 'wait', waitKind: checked.waitKind, reason: checked.reason });
      case 'stopped':
        return trouble(checked.reason);
      case 'tests-failed':
        if (round >= MAX_REPAIRS) {
          return parcel({ kind: 'wait', waitKind: 'tests_failed', reason: quote(checked.output) });
        }
        complaint = checked.output;
    }
  }
}

export type Commit = { sha: string; bundle: Buffer };

function buildParcel(start: Start, idea: Idea, result: PlanResult, commit: Commit | null): PlanParcel {
  const { branch } = start.context;
  return {
    plan: {
      version: 1,
      session: { adapter: start.repo.agent.adapter, threadId: idea.threadId },
      commit: commit && { branch, startSha: start.startSha, sha: commit.sha },
      result,
      stateSummary: idea.stateSummary,
      usage: idea.usage,
    },
    bundle: commit?.bundle.toString('base64') ?? null,
  };
}

function trouble(reason: string): Planned {
  return { kind: 'failed', cause: 'infrastructure', reason, retryAfterMs: null };
}

function add(a: AgentUsage, b: AgentUsage): AgentUsage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    costUsd: a.costUsd + b.costUsd,
  };
}

function quote(output: string): string {
  return `The end of their output:\n\n~~~~text\n${output.slice(-6_000).replaceAll('~~~~', '~ ~ ~ ~')}\n~~~~`;
}
