import { failpoint } from '@mergexo/core/basics';
import { chooseAgent } from './ask/choose-agent.js';
import { createMeter } from './ask/meter.js';
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

/** GitHub may return a new push late. After this delay, the poller has polled the branch again. */
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
      `${request.repo} is missing in this worker's mergexo.toml; add the repository and restart the worker`,
    );
  // Orphaned processes are ended before the lease, because an agent of a killed worker may still write into the slot
  // that is leased next.
  const stuck = await tools.endOrphans();
  if (stuck.length > 0)
    return trouble(
      `processes of a killed worker could not be ended: ${stuck.join(', ')}; end them by hand or restart the machine`,
    );
  const meter = createMeter();
  const slot = await tools.git.leaseSlot(repo, { author: begun.author, signal });
  try {
    const baseBranch = request.pull?.baseBranch ?? repo.defaultBranch;
    const restored = await slot.restore({ branch, startSha, baseBranch });
    if (restored.kind === 'mismatch') {
      const reason = `${branch} has the head ${restored.observed ?? '(none)'} on the remote instead of ${restored.expected}; MergeXO will retry`;
      return trouble(reason, { retryAfterMs: MISMATCH_RETRY_MS });
    }
    failpoint('worker:slot-restored');
    const { head, baseSha } = restored;
    return await work({
      begun,
      repo,
      agent: chooseAgent(repo, begun.turnKind),
      issueNumber: request.issue.number,
      branch,
      slot,
      startSha: head,
      baseSha,
      signal,
      meter,
      report,
    });
  } catch (error) {
    const failed = toTrouble(error, meter.total());
    return { ...failed, reason: tools.redact(failed.reason) };
  } finally {
    await slot.release();
  }
}
