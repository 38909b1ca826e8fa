import { Failure } from '@mergexo/core/basics';
import type { Checks, MatchedRound } from '@mergexo/core/review';
import { checkCoverage, type ReviewContext, renderReviewVerify } from '@mergexo/core/turns';
import { ask, type Repairs } from '../ask/ask.js';
import { buildFrame } from '../ask/build-frame.js';
import { buildRequest, buildVerifyPackage } from '../ask/build-request.js';
import type { Branch } from '../ask/read-branch.js';
import type { PlanFailed } from '../make-plan.js';
import type { PlanTools, Task } from '../task.js';

type Verified = { kind: 'verified'; checks: Checks } | { kind: 'failed'; failed: PlanFailed };

type Question = { context: ReviewContext; branch: Branch; suspects: MatchedRound['suspects'] };

const UNVERIFIED: Verified = { kind: 'verified', checks: new Map() };

/**
 * Asks a second agent, in a new session, whether the findings that would block the merge are true. Fails at a usage
 * limit, so that a fallback or a later attempt verifies them. After any other failure, the findings stay unverified,
 * because a failed check must not lose a finding.
 */
export async function verifyFindings(tools: PlanTools, task: Task, question: Question): Promise<Verified> {
  const { context, branch, suspects } = question;
  if (suspects.length === 0) return UNVERIFIED;
  if (!(await restoreSlot(task, context))) return UNVERIFIED;
  const numbered = suspects.map(({ finding }, index) => ({ ...finding, id: index + 1 }));
  const input = { ...context, ...branch, baseSha: task.baseSha, suspects: numbered };
  const prompt = renderReviewVerify(input, await buildFrame(task, 'review_verify'));
  const turn = buildVerifyPackage(context, { ...task, ...branch }, numbered);
  const repairs: Repairs = { left: 1 };
  const asked = await ask(tools, task, {
    threadId: null,
    repairs,
    build: (threadId) => buildRequest('review_verify', task, { threadId, prompt, turn }),
    check: async ({ findings }) => {
      const { wrong, missing } = checkCoverage({
        field: 'findings',
        asked: numbered.map(({ id }) => id),
        given: findings.map(({ id }) => id),
      });
      return repairs.left > 0 ? [...wrong, ...missing] : wrong;
    },
  });
  if (asked.kind === 'failed')
    return task.signal.aborted || asked.failed.limitedAdapter !== undefined ? asked : UNVERIFIED;
  const checks = asked.output.findings.flatMap(({ id, status, evidence }) => {
    const suspect = suspects[id - 1];
    return suspect === undefined ? [] : ([[suspect.fingerprint, { status, evidence }]] as const);
  });
  return { kind: 'verified', checks: new Map(checks) };
}

/**
 * Restores a clean slot, because the first agent may have left edits or instructions there. Returns false on failure.
 */
async function restoreSlot(
  { slot, branch, startSha, signal }: Task,
  { pull }: ReviewContext,
): Promise<boolean> {
  try {
    const restored = await slot.restore({ branch, startSha, baseBranch: pull.baseBranch });
    return restored.kind === 'ready';
  } catch (error) {
    if (error instanceof Failure && !signal.aborted) return false;
    throw error;
  }
}
