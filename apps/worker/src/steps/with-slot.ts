import { Failure, failpoint } from '@mergexo/core/basics';
import { chooseAgent } from './ask/choose-agent.js';
import { createMeter } from './ask/meter.js';
import { type Planned, trouble } from './make-plan.js';
import type { PlanTools, Task } from './task.js';

export type SlotRequest = Pick<Task, 'begun' | 'signal' | 'issueNumber' | 'branch' | 'report'> & {
  repoName: string;
  /** The head that the branch must have; null for a new branch. */
  startSha: string | null;
  /** The repository's default branch unless given. */
  baseBranch?: string;
};

/** What was pushed a moment ago may be served a little later; the poller has looked again by then. */
const MISMATCH_RETRY_MS = 15_000;

/** Prepares a slot for one attempt, and gives it back whatever happens. What was consumed is told also when git fails. */
export async function withSlot(
  tools: PlanTools,
  request: SlotRequest,
  work: (task: Task) => Promise<Planned>,
): Promise<Planned> {
  const { begun, signal, repoName, issueNumber, branch, startSha, report } = request;
  const repo = tools.repos.find(({ fullName }) => fullName === repoName);
  if (repo === undefined) return trouble(`${repoName} is not in this worker's configuration`);
  // An agent of a killed worker may still write into the slot that comes next.
  const stuck = await tools.endOrphans();
  if (stuck.length > 0) return trouble(`processes of a killed worker cannot be ended: ${stuck.join(', ')}`);
  const meter = createMeter();
  const slot = await tools.git.leaseSlot(repo, { author: begun.author, signal });
  try {
    const baseBranch = request.baseBranch ?? repo.defaultBranch;
    const restored = await slot.restore({ branch, startSha, baseBranch });
    if (restored.kind === 'mismatch') {
      const reason = `retry later: ${branch} is at ${restored.observed ?? 'nothing'}, expected ${restored.expected}`;
      return trouble(reason, { retryAfterMs: MISMATCH_RETRY_MS });
    }
    failpoint('worker:slot-restored');
    const { head, baseSha } = restored;
    return await work({
      begun,
      repo,
      agent: chooseAgent(repo, begun.turnKind),
      issueNumber,
      branch,
      slot,
      startSha: head,
      baseSha,
      signal,
      meter,
      report,
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const reason = tools.redact(error.message);
    return trouble(reason, { retryAfterMs: error.retryAfterMs ?? null, usage: meter.total() });
  } finally {
    await slot.release();
  }
}
