import { decideRound, listUnresolved, matchRound, readHunks, readReported } from '@mergexo/core/review';
import {
  buildReviewResult,
  checkCoverage,
  ReviewContext,
  type ReviewOutput,
  renderReview,
} from '@mergexo/core/turns';
import { type Asked, ask, type Repairs } from '../ask/ask.js';
import { buildFrame } from '../ask/build-frame.js';
import { buildRequest, buildReviewPackage } from '../ask/build-request.js';
import { type Branch, readBranch } from '../ask/read-branch.js';
import { redactReview, toPlanned } from '../build-parcel.js';
import type { MakePlan, Planned } from '../make-plan.js';
import type { PlanTools, Task } from '../task.js';
import { withSlot } from '../with-slot.js';
import { verifyFindings } from './verify-findings.js';

/** GitHub shows at most this much of a diff. */
const MAX_DIFF_BYTES = 1_000_000;

/** Plans the findings for a pull request's head. Discards the agent's edits in the slot. */
export function createPlanReview(tools: PlanTools): MakePlan {
  return async (begun, signal, report) => {
    const context = ReviewContext.parse(begun.context);
    const request = { ...context, begun, signal, report };
    return withSlot(tools, request, (task) => planReview(tools, task, context));
  };
}

async function planReview(tools: PlanTools, task: Task, context: ReviewContext): Promise<Planned> {
  const { slot, baseSha, startSha } = task;
  const branch = await readBranch(task, context);
  const asked = context.reported
    ? ({ kind: 'answered', output: context.reported } as const)
    : await askReviewer(tools, task, { context, branch });
  if (asked.kind === 'failed') return asked.failed;
  const { summary, findings, earlier: answers } = asked.output;
  const diff = await slot.diff({ base: baseSha, head: startSha, maxBytes: MAX_DIFF_BYTES });
  const { headSha, round, earlier, policy } = context;
  const reported = findings.map(readReported);
  const matched = matchRound({ round, findings: reported, answers, earlier, lines: readHunks(diff), policy });
  const suspects = policy.verify ? matched.suspects : [];
  const verified = await verifyFindings(tools, task, { context, branch, suspects });
  if (verified.kind === 'failed')
    return { ...verified.failed, reported: redactReview(asked.output, tools.redact) };
  const result = buildReviewResult({ headSha, summary, answers }, decideRound(matched, verified.checks));
  return toPlanned(tools, task, { result });
}

async function askReviewer(
  tools: PlanTools,
  task: Task,
  { context, branch }: { context: ReviewContext; branch: Branch },
): Promise<Asked<'review'>> {
  const { earlier, round, policy } = context;
  const openFindings = listUnresolved(earlier, round);
  const dismissedFindings = earlier.filter(({ status }) => status === 'dismissed');
  const input = {
    ...context,
    ...policy,
    ...branch,
    baseSha: task.baseSha,
    openFindings,
    dismissedFindings,
  };
  const prompt = renderReview(input, await buildFrame(task, 'review'));
  const turn = buildReviewPackage(context, { ...task, ...branch });
  const repairs: Repairs = { left: 1 };
  return ask(tools, task, {
    // The review needs a new session, because a reviewer that remembers writing the change is not independent.
    threadId: null,
    repairs,
    build: (threadId) => buildRequest('review', task, { threadId, prompt, turn }),
    check: async (output) => checkAnswers(openFindings, output, repairs),
  });
}

/** Lists the errors in the answers about open findings. After the repair, a missing answer counts as `holds`. */
function checkAnswers(open: readonly { id: number }[], output: ReviewOutput, { left }: Repairs): string[] {
  const { wrong, missing } = checkCoverage({
    field: 'earlier',
    asked: open.map(({ id }) => id),
    given: output.earlier.map(({ id }) => id),
  });
  return left > 0 ? [...wrong, ...missing] : wrong;
}
