import { Failure, failpoint } from '@mergexo/core/basics';
import { chooseAgent } from './ask/choose-agent.js';
import { describeChecking } from './ask/describe-checking.js';
import { openHandouts } from './ask/handouts.js';
import { createMeter } from './ask/meter.js';
import { openSetupHome } from './check/setup-home.js';
import { type Planned, toTrouble, trouble } from './make-plan.js';
import type { PlanTools, Task } from './task.js';

/** The attempt, and the context of its turn. */
type SlotRequest = Pick<Task, 'begun' | 'signal' | 'branch' | 'report'> & {
  repo: string;
  issue: { number: number };
  /** The head that the branch must have on the remote; null for a new branch. */
  headSha: string | null;
  /** Absent if the turn has no pull request. The base is then the repository's default branch. */
  pull?: { baseBranch: string };
};

/** GitHub may report a new push late. By the end of this delay, the poller has polled the branch again. */
const MISMATCH_RETRY_MS = 15_000;

/** Prepares a slot for one attempt and always releases it. Reports the agent's usage even if git fails. */
export async function withSlot(
  tools: PlanTools,
  request: SlotRequest,
  work: (task: Task) => Promise<Planned>,
): Promise<Planned> {
  const { begun, signal, report, branch, headSha: startSha } = request;
  const repo = tools.repos.find(({ fullName }) => fullName === request.repo);
  if (repo === undefined)
    return trouble(
      `${request.repo} is missing from this worker's mergexo.toml; add the repository and restart the worker`,
    );
  const agent = chooseAgent(repo, begun);
  if (agent === undefined)
    return trouble(
      `${begun.adapter} is not a fallback for ${request.repo} in this worker's mergexo.toml; use the poller's configuration and restart the worker`,
    );
  // Ends orphaned processes before the lease, because an agent of a killed worker may still write to the
  // leased slot.
  const stuck = await tools.endOrphans();
  if (stuck.length > 0)
    return trouble(
      `processes of a killed worker could not be ended: ${stuck.join(', ')}; end them by hand or restart the machine`,
    );
  const meter = createMeter(agent);
  const slot = await tools.git.leaseSlot(repo, { author: begun.author, signal });
  const handouts = await openHandouts(tools.handoutsOf(repo, slot));
  const setupHome = openSetupHome(tools.setupDirectoryOf(repo, slot), signal);
  try {
    const baseBranch = request.pull?.baseBranch ?? repo.defaultBranch;
    const restored = await slot.restore({ branch, startSha, baseBranch });
    if (restored.kind === 'mismatch') {
      const reason = `${branch} has the head ${restored.observed ?? '(none)'} on the remote instead of ${restored.expected}; MergeXO will retry`;
      return trouble(reason, { retryAfterMs: MISMATCH_RETRY_MS });
    }
    failpoint('worker:slot-restored');
    const { head, baseSha } = restored;
    const attempt = { begun, repo, agent, branch, signal, meter, report };
    return await work({
      ...attempt,
      slot,
      handouts,
      setupHome,
      issueNumber: request.issue.number,
      checking: describeChecking(tools, repo, agent.adapter),
      startSha: head,
      baseSha,
      omits: tools.omits ?? [],
    });
  } catch (error) {
    const failed = toTrouble(error, meter.total());
    // Only programs in the checkout leave invalid data there, so this counts as a failed attempt.
    const isOwnFault = error instanceof Failure && error.kind === 'invalid-data';
    return { ...failed, ...(isOwnFault && { cause: 'agent' }), reason: tools.redact(failed.reason) };
  } finally {
    await handouts.remove();
    await setupHome.clear().catch(() => {});
    await slot.release();
  }
}
