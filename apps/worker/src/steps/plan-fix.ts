import {
  chooseSummary,
  decideSession,
  type Frame,
  type RepoFile,
  renderTestsComplaint,
} from '@mergexo/core/prompts';
import {
  checkFixAnswer,
  ReviewFixContext,
  type ReviewFixOutput,
  type ReviewFixResult,
  renderReviewFix,
} from '@mergexo/core/turns';
import { ask, type Repairs } from './ask/ask.js';
import { buildFrame } from './ask/build-frame.js';
import { buildFixPackage, buildRequest, MAX_CHANGED_FILES } from './ask/build-request.js';
import { explainShas } from './ask/explain-shas.js';
import { readDocuments } from './ask/read-documents.js';
import { buildParcel } from './build-parcel.js';
import { collectWork, type Work } from './collect-work.js';
import { explainUntestable } from './explain-untestable.js';
import type { MakePlan, Planned } from './make-plan.js';
import type { Commit, PlanTools, Task } from './task.js';
import { withSlot } from './with-slot.js';
import { type Round, workInRounds } from './work-in-rounds.js';

type Fix = {
  tools: PlanTools;
  task: Task;
  context: ReviewFixContext;
  frame: Frame;
  changedFiles: readonly string[];
  documents: readonly RepoFile[];
};

/** From a review that asks for changes to commits on the branch, with an answer to each finding. Nothing has been sent yet. */
export function createPlanFix(tools: PlanTools): MakePlan {
  return async (begun, signal, report) => {
    const context = ReviewFixContext.parse(begun.context);
    const { repo: repoName, branch, headSha: startSha, issue } = context;
    const { baseBranch } = context.pull;
    const about = { repoName, branch, issueNumber: issue.number, startSha, baseBranch };
    return withSlot(tools, { begun, report, signal, ...about }, (task) => planFix(tools, task, context));
  };
}

async function planFix(tools: PlanTools, task: Task, context: ReviewFixContext): Promise<Planned> {
  const untestable = await explainUntestable(tools, task);
  if (untestable !== undefined) {
    const parts = { words: null, result: fail(NOTHING, 'other', untestable), commit: null };
    return { kind: 'planned', parcel: buildParcel(tools.redact, task, parts) };
  }
  const range = { base: task.baseSha, head: task.startSha };
  const files = await task.slot.compare({ ...range, maxFiles: MAX_CHANGED_FILES });
  const changedFiles = files.map(({ path }) => path);
  const documents = await readDocuments(task, { ...context, changedFiles });
  const frame = await buildFrame(tools, task, 'review_fix');
  const fix: Fix = { tools, task, context, frame, changedFiles, documents };
  const repairs = { left: 1 };
  const mode = tools.sessionMode ?? 'resume';
  const { adapter } = task.agent;
  const { session: stored, stateSummary } = context;
  let { threadId } = decideSession({ mode, adapter, stored, stateSummary });
  let last = NOTHING;
  return workInRounds(tools, task, {
    ask: async (complaint) => {
      const round = await askForFix(fix, { threadId, repairs, complaint });
      if (round.kind === 'failed') return round;
      threadId = round.words.threadId;
      last = round.result;
      return round;
    },
    giveUp: (reason) => fail(last, 'other', `The required tests of the repository fail. ${reason}`),
  });
}

const NOTHING: ReviewFixResult = { kind: 'fix', answers: [], summary: '', failure: null };

type Asking = { threadId: string | null; repairs: Repairs; complaint: string | null };
type FixRound =
  | Extract<Round, { kind: 'failed' }>
  | (Extract<Round, { kind: 'done' }> & { result: ReviewFixResult });

async function askForFix(fix: Fix, asking: Asking): Promise<FixRound> {
  const { tools, task, context } = fix;
  let work: Work = { kind: 'empty' };
  const heard = await ask(tools, task, {
    ...asking,
    build: (threadId) => build(fix, threadId, asking.complaint),
    check: async (output) => {
      work = await collectWork(task, {
        text: output.commit_message ?? DEFAULT_MESSAGE,
        redact: tools.redact,
        references: nameReview(context),
      });
      // These end the turn; a better answer would not help.
      if (work.kind === 'rewritten' || work.kind === 'refused') return [];
      if (work.kind === 'faulty' && asking.repairs.left === 0) return [];
      // Whoever was asked once more and still changed nothing has an answer that can be told as it is: the fix failed.
      const hasChanges = work.kind === 'faulty' || changesFiles(work) || asking.repairs.left === 0;
      return [
        ...(work.kind === 'faulty' ? work.complaints : []),
        ...checkFixAnswer({ findings: context.findings, hasChanges }, output),
        ...(await explainShas({ git: tools.git, task }, work, listTexts(output))),
      ];
    },
  });
  if (heard.kind === 'failed') return heard;
  const words = { threadId: heard.threadId, stateSummary: heard.output.state_summary };
  return { kind: 'done', words, ...conclude(context, heard.output, work) };
}

const DEFAULT_MESSAGE = 'Address the review';

/** The trailer by which the commits name the review; a place that is no plain address is not worth a broken commit. */
function nameReview({ review }: ReviewFixContext): string[] {
  return /^https?:\/\/[\x21-\x7e]+$/.test(review.url) ? [`Review: ${review.url}`] : [];
}

function listTexts({ findings, summary, commit_message }: ReviewFixOutput): string[] {
  return [...findings.map(({ note }) => note), summary, commit_message ?? ''];
}

function build(
  { task, context, frame, changedFiles, documents }: Fix,
  threadId: string | null,
  complaint: string | null,
) {
  const input = {
    ...context,
    baseSha: task.baseSha,
    documents,
    summary: chooseSummary(threadId, context.stateSummary),
    reviewSummary: context.review.body,
  };
  const prompt = [
    renderReviewFix(input, frame),
    ...(complaint === null ? [] : [renderTestsComplaint(complaint)]),
  ].join('\n\n');
  const turn = buildFixPackage(context, { ...task, changedFiles });
  return buildRequest('review_fix', task, { threadId, prompt, turn });
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
      result: fail(result, 'no_changes', `The agent changed no file. ${output.summary}`),
      commit: null,
    };
  return { result, commit: work.commit };
}

type Failure = NonNullable<ReviewFixResult['failure']>;

/** Nothing will be pushed, so no file is changed either. */
function fail(result: ReviewFixResult, cause: Failure['cause'], reason: string): ReviewFixResult {
  const answers = result.answers.map((answer) => ({ ...answer, touchesFile: false }));
  return { ...result, answers, failure: { cause, reason } };
}
