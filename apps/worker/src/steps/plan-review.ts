import { judgeRound, readHunks } from '@mergexo/core/review';
import {
  buildReviewResult,
  ReviewContext,
  type ReviewInput,
  type ReviewOutput,
  renderReview,
} from '@mergexo/core/turns';
import { ask } from './ask/ask.js';
import { buildFrame } from './ask/build-frame.js';
import { buildRequest, buildReviewPackage, MAX_CHANGED_FILES } from './ask/build-request.js';
import { readDocuments } from './ask/read-documents.js';
import { buildParcel } from './build-parcel.js';
import type { MakePlan, Planned } from './make-plan.js';
import type { PlanTools, Task } from './task.js';
import { withSlot } from './with-slot.js';

/** GitHub shows no more of a diff. */
const MAX_DIFF_BYTES = 1_000_000;

/** From a head of a pull request to what is wrong with it. Nothing is collected: what the agent does in the slot is thrown away. */
export function createPlanReview(tools: PlanTools): MakePlan {
  return async (begun, signal, report) => {
    const context = ReviewContext.parse(begun.context);
    const { repo: repoName, branch, headSha: startSha, issue } = context;
    const { baseBranch } = context.pull;
    const about = { repoName, branch, issueNumber: issue.number, startSha, baseBranch };
    return withSlot(tools, { begun, report, signal, ...about }, (task) => planReview(tools, task, context));
  };
}

async function planReview(tools: PlanTools, task: Task, context: ReviewContext): Promise<Planned> {
  const range = { base: task.baseSha, head: task.startSha };
  const files = await task.slot.compare({ ...range, maxFiles: MAX_CHANGED_FILES });
  const changedFiles = files.map(({ path }) => path);
  const documents = await readDocuments(task, { ...context, changedFiles });
  const { baseSha } = task;
  const input = { ...context, ...context.policy, ...listEarlier(context), baseSha, changedFiles, documents };
  const prompt = renderReview(input, await buildFrame(tools, task, 'review'));
  const turn = buildReviewPackage(context, { ...task, changedFiles });
  const heard = await ask(tools, task, {
    // A reviewer who remembers how it came about would not look at it afresh.
    threadId: null,
    repairs: { left: 1 },
    build: (threadId) => buildRequest('review', task, { threadId, prompt, turn }),
    check: async () => [],
  });
  if (heard.kind === 'failed') return heard.failed;
  const diff = await task.slot.diff({ ...range, maxBytes: MAX_DIFF_BYTES });
  const result = judge(context, heard.output, diff);
  return { kind: 'planned', parcel: buildParcel(tools.redact, task, { words: null, result, commit: null }) };
}

function judge({ headSha, round, earlier, policy }: ReviewContext, output: ReviewOutput, diff: string) {
  const { summary, findings } = output;
  const judgement = judgeRound({ round, findings, earlier, lines: readHunks(diff), policy });
  return buildReviewResult({ headSha, summary }, judgement);
}

function listEarlier({
  earlier,
  round,
}: ReviewContext): Pick<ReviewInput, 'openFindings' | 'dismissedFindings'> {
  const dismissedFindings = earlier.filter(({ status }) => status === 'dismissed');
  const openFindings = earlier
    .filter(({ status, lastRound }) => status !== 'dismissed' && lastRound === round - 1)
    .map((finding) => ({ ...finding, answer: describeAnswer(finding) }));
  return { openFindings, dismissedFindings };
}

function describeAnswer({ status, note }: ReviewContext['earlier'][number]): string {
  if (status === 'open') return 'none';
  return note === null ? status : `${status}: ${note}`;
}
