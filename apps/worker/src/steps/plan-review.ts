import { decideRound, readHunks } from '@mergexo/core/review';
import {
  buildReviewResult,
  ReviewContext,
  type ReviewInput,
  type ReviewOutput,
  renderReview,
} from '@mergexo/core/turns';
import { ask } from './ask/ask.js';
import { buildFrame } from './ask/build-frame.js';
import { buildRequest, buildReviewPackage } from './ask/build-request.js';
import { readBranch } from './ask/read-branch.js';
import { toPlanned } from './build-parcel.js';
import type { MakePlan, Planned } from './make-plan.js';
import type { PlanTools, Task } from './task.js';
import { withSlot } from './with-slot.js';

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
  const input = { ...context, ...context.policy, ...listEarlier(context), baseSha, ...branch };
  const prompt = renderReview(input, await buildFrame(task, 'review'));
  const turn = buildReviewPackage(context, { ...task, ...branch });
  const asked = await ask(tools, task, {
    // The review needs a new session, because a reviewer that remembers writing the change is not independent.
    threadId: null,
    repairs: { left: 1 },
    build: (threadId) => buildRequest('review', task, { threadId, prompt, turn }),
    check: async () => [],
  });
  if (asked.kind === 'failed') return asked.failed;
  const diff = await slot.diff({ base: baseSha, head: startSha, maxBytes: MAX_DIFF_BYTES });
  return toPlanned(tools, task, { result: buildResult(context, asked.output, diff) });
}

function buildResult({ headSha, round, earlier, policy }: ReviewContext, output: ReviewOutput, diff: string) {
  const { summary, findings } = output;
  const judgement = decideRound({ round, findings, earlier, lines: readHunks(diff), policy });
  return buildReviewResult({ headSha, summary }, judgement);
}

function listEarlier({
  earlier,
  round,
}: ReviewContext): Pick<ReviewInput, 'openFindings' | 'dismissedFindings'> {
  const dismissedFindings = earlier.filter(({ status }) => status === 'dismissed');
  const openFindings = earlier.filter(
    ({ status, lastRound }) => status !== 'dismissed' && lastRound === round - 1,
  );
  return { openFindings, dismissedFindings };
}
