import { type Complaint, chooseSummary, type Frame, type RepoFile } from '@mergexo/core/prompts';
import { removeResult } from '@mergexo/core/review';
import {
  checkFixAnswer,
  ReviewFixContext,
  type ReviewFixOutput,
  type ReviewFixResult,
  renderReviewFix,
} from '@mergexo/core/turns';
import { ask } from './ask/ask.js';
import { buildFrame } from './ask/build-frame.js';
import { buildFixPackage, buildRequest } from './ask/build-request.js';
import { readBranch } from './ask/read-branch.js';
import { toPlanned } from './build-parcel.js';
import { explainComplaint } from './check/explain-complaint.js';
import { explainShas } from './check/explain-shas.js';
import { explainUntestable } from './check/explain-untestable.js';
import { setUp } from './check/set-up.js';
import { collectWork, type Work } from './collect-work.js';
import { type MakePlan, type Planned, trouble } from './make-plan.js';
import type { Commit, PlanTools, Task } from './task.js';
import { withSlot } from './with-slot.js';
import { type Asking, type Round, workInRounds } from './work-in-rounds.js';

type Fix = {
  tools: PlanTools;
  task: Task;
  context: ReviewFixContext;
  frame: Frame;
  changedFiles: readonly string[];
  documents: readonly RepoFile[];
};

/** Plans commits for a review that requests changes, with an answer to each finding. Sends nothing. */
export function createPlanFix(tools: PlanTools): MakePlan {
  return async (begun, signal, report) => {
    const context = ReviewFixContext.parse(begun.context);
    const request = { ...context, begun, signal, report };
    return withSlot(tools, request, (task) => planFix(tools, task, context));
  };
}

async function planFix(tools: PlanTools, task: Task, context: ReviewFixContext): Promise<Planned> {
  const untestable = await explainUntestable(tools, task);
  if (untestable !== undefined) return toPlanned(tools, task, { result: fail(NOTHING, 'other', untestable) });
  const ready = await setUp(tools, task, task.startSha);
  if (ready.kind === 'stopped') return trouble(ready.reason);
  if (ready.kind === 'failed')
    return toPlanned(tools, task, { result: fail(NOTHING, 'other', ready.reason) });
  const branch = await readBranch(task, context);
  const fix: Fix = { tools, task, context, ...branch, frame: await buildFrame(task, 'review_fix') };
  let last = NOTHING;
  return workInRounds(tools, task, {
    context,
    ask: async (asking) => {
      const round = await askForFix(fix, asking);
      if (round.kind === 'done') last = round.result;
      return round;
    },
    giveUp: (complaint) =>
      fail(last, 'other', `The repository's required tests fail. ${explainComplaint(complaint)}`),
  });
}

const NOTHING: ReviewFixResult = { kind: 'fix', answers: [], summary: '', failure: null };

type FixRound =
  | Extract<Round, { kind: 'failed' }>
  | (Extract<Round, { kind: 'done' }> & { result: ReviewFixResult });

async function askForFix(fix: Fix, asking: Asking): Promise<FixRound> {
  const { tools, task, context } = fix;
  let work: Work = { kind: 'empty' };
  const asked = await ask(tools, task, {
    ...asking,
    build: (threadId) => build(fix, threadId, asking.complaint),
    check: async (output) => {
      work = await collectWork(task, {
        text: output.commit_message ?? DEFAULT_MESSAGE,
        ...tools,
        references: nameReview(context),
      });
      // Rewritten or refused work ends the turn, because a better answer would not help.
      if (work.kind === 'rewritten' || work.kind === 'refused') return [];
      if (work.kind === 'faulty' && asking.repairs.left === 0) return [];
      // An agent that changes nothing even after a repair is not asked again. MergeXO reports that the fix failed.
      const mayAskAgain = asking.repairs.left > 0;
      const hasChanges = work.kind === 'faulty' || changesFiles(work) || !mayAskAgain;
      return [
        ...(work.kind === 'faulty' ? work.complaints : []),
        ...checkFixAnswer({ findings: context.findings, hasChanges, mayAskAgain }, output),
        ...(await explainShas({ git: tools.git, task }, work, listTexts(output))),
      ];
    },
  });
  if (asked.kind === 'failed') return asked;
  const session = { threadId: asked.threadId, stateSummary: asked.output.state_summary };
  return { kind: 'done', session, ...conclude(context, asked.output, work) };
}

const DEFAULT_MESSAGE = 'Address the review';

/** Returns the trailer with the review's URL. Omits an unusual URL, because it could break the commit message. */
function nameReview({ review }: ReviewFixContext): string[] {
  return /^https?:\/\/[\x21-\x7e]+$/.test(review.url) ? [`Review: ${review.url}`] : [];
}

function listTexts({ findings, summary, commit_message }: ReviewFixOutput): string[] {
  return [...findings.map(({ note }) => note), summary, commit_message ?? ''];
}

function build(
  { task, context, frame, changedFiles, documents }: Fix,
  threadId: string | null,
  complaint: Complaint | null,
) {
  const input = {
    ...context,
    baseSha: task.baseSha,
    documents,
    summary: chooseSummary(threadId, context.stateSummary),
    reviewSummary: removeResult(context.review.body),
  };
  const turn = buildFixPackage(context, { ...task, changedFiles });
  return buildRequest('review_fix', task, {
    threadId,
    prompt: renderReviewFix(input, frame),
    complaint,
    turn,
  });
}

function changesFiles(work: Work): work is Extract<Work, { kind: 'commit' }> {
  return work.kind === 'commit' && work.files.length > 0;
}

function conclude(
  { findings }: ReviewFixContext,
  output: ReviewFixOutput,
  work: Work,
): { result: ReviewFixResult; commit: Commit | null } {
  const touched = new Set(work.kind === 'commit' ? work.files.map(({ path }) => path) : []);
  const pathOf = new Map(findings.map(({ id, path }) => [id, path]));
  const answers = output.findings
    .filter(({ id }) => pathOf.has(id))
    .map((answer) => ({ ...answer, touchesFile: touched.has(pathOf.get(answer.id) ?? '') }));
  const result: ReviewFixResult = { kind: 'fix', answers, summary: output.summary, failure: null };
  if (work.kind === 'rewritten' || work.kind === 'refused' || work.kind === 'faulty')
    return { result: fail(result, 'agent_error', work.reason), commit: null };
  if (!changesFiles(work))
    return {
      result: fail(result, 'no_changes', `The agent changed no files. ${output.summary}`),
      commit: null,
    };
  return { result, commit: work.commit };
}

type Failure = NonNullable<ReviewFixResult['failure']>;

/** Builds a failed result. A failed fix pushes nothing, so no answer may claim a changed file. */
function fail(result: ReviewFixResult, cause: Failure['cause'], reason: string): ReviewFixResult {
  const answers = result.answers.map((answer) => ({ ...answer, touchesFile: false }));
  return { ...result, answers, failure: { cause, reason } };
}
