import { type Complaint, chooseSummary, type Frame } from '@mergexo/core/prompts';
import {
  type BlockKind,
  FEEDBACK_PROMPTS,
  FeedbackContext,
  type FeedbackOutput,
  isOfFamily,
  type KindOf,
  type MergeNote,
  type PlanResult,
} from '@mergexo/core/turns';
import { ask } from './ask/ask.js';
import { buildFrame } from './ask/build-frame.js';
import { buildFeedbackPackage, buildRequest } from './ask/build-request.js';
import { listChangedFiles } from './ask/read-branch.js';
import { readCurrentCode } from './ask/read-current-code.js';
import { toPlanned } from './build-parcel.js';
import { explainComplaint } from './check/explain-complaint.js';
import { explainUntestable } from './check/explain-untestable.js';
import { setUp } from './check/set-up.js';
import { checkFeedback, readsFrontmatter, toAnswers } from './check-feedback.js';
import { collectWork, type Merged, type Work } from './collect-work.js';
import { type MakePlan, type Planned, trouble } from './make-plan.js';
import type { PlanTools, Task } from './task.js';
import { withSlot } from './with-slot.js';
import { type Asking, type Round, workInRounds } from './work-in-rounds.js';

type FeedbackKind = KindOf<'feedback'>;

type Feedback = {
  tools: PlanTools;
  task: Task;
  context: FeedbackContext;
  kind: FeedbackKind;
  frame: Frame;
  changedFiles: readonly string[];
  code: Awaited<ReturnType<typeof readCurrentCode>>;
  hadFrontmatter: boolean;
  /** In an update turn, the result of merging the base into the slot's files; null in other turns. */
  merge: MergeNote | null;
  /** The base commit that was merged into the slot's files; null if there was nothing to merge. */
  merged: Merged | null;
};

/** Plans replies to new comments on a pull request, and commits if files changed. Sends nothing. */
export function createPlanFeedback(tools: PlanTools): MakePlan {
  return async (begun, signal, report) => {
    const { turnKind: kind } = begun;
    if (!isOfFamily(kind, 'feedback'))
      return trouble(
        `this worker does not know the turn kind ${kind}; update the worker to the poller's version`,
      );
    const context = FeedbackContext.parse(begun.context);
    const request = { ...context, begun, signal, report };
    return withSlot(tools, request, (task) => planFeedback(tools, task, { context, kind }));
  };
}

async function planFeedback(
  tools: PlanTools,
  task: Task,
  about: Pick<Feedback, 'context' | 'kind'>,
): Promise<Planned> {
  const untestable = await explainUntestable(tools, task);
  if (untestable !== undefined)
    return toPlanned(tools, task, { result: block('tests_unavailable', untestable) });
  // Setup needs the files of the commit, so it runs before the base is merged into them.
  const ready = await setUp(tools, task, task.startSha);
  if (ready.kind === 'stopped') return trouble(ready.reason);
  if (ready.kind === 'failed') return toPlanned(tools, task, { result: block('setup_failed', ready.reason) });
  const { context, kind } = about;
  const { designDocPath: path } = context;
  const feedback: Feedback = {
    tools,
    task,
    ...about,
    frame: await buildFrame(task, kind),
    changedFiles: await listChangedFiles(task),
    code: await readCurrentCode(task, context.events),
    hadFrontmatter: kind === 'design_feedback' && path !== null && (await readsFrontmatter(task, path)),
    ...(await mergeIfAsked(task, context)),
  };
  return workInRounds(tools, task, {
    context,
    ask: (asking) => askForFeedback(feedback, asking),
    giveUp: (complaint) => block('tests_failed', explainComplaint(complaint)),
  });
}

async function mergeIfAsked(
  { slot, startSha, baseSha }: Task,
  { update, pull }: FeedbackContext,
): Promise<Pick<Feedback, 'merge' | 'merged'>> {
  if (!update) return { merge: null, merged: null };
  const made = await slot.mergeBase({ head: startSha, baseSha });
  const merge = { kind: made.kind, files: made.kind === 'conflicts' ? made.files : [] };
  return { merge, merged: made.kind === 'up-to-date' ? null : { sha: baseSha, branch: pull.baseBranch } };
}

async function askForFeedback(feedback: Feedback, asking: Asking): Promise<Round> {
  const { tools, task } = feedback;
  let work: Work = { kind: 'empty' };
  const asked = await ask(tools, task, {
    ...asking,
    build: (threadId) => build(feedback, threadId, asking.complaint),
    check: async (output) => {
      if (output.blocked_reason !== null) return [];
      work = await collectAll(feedback, output);
      // Rewritten or refused work ends the turn, because a better answer would not help.
      if (work.kind === 'rewritten' || work.kind === 'refused') return [];
      // Faults that remain after the repair end the turn too, because a person must decide.
      if (work.kind === 'faulty' && asking.repairs.left === 0) return [];
      const mayAskAgain = asking.repairs.left > 0;
      return checkFeedback({ git: tools.git, ...feedback, mayAskAgain }, { output, work });
    },
  });
  if (asked.kind === 'failed') return asked;
  const { threadId, output } = asked;
  return {
    kind: 'done',
    session: { threadId, stateSummary: output.state_summary },
    ...conclude(feedback, output, work),
  };
}

function collectAll({ tools, task, kind, context, merged }: Feedback, output: FeedbackOutput): Promise<Work> {
  const usual =
    merged === null ? DEFAULT_MESSAGE[kind] : `Merge branch '${merged.branch}' into ${context.branch}`;
  const message = { text: output.commit_message ?? usual, ...tools };
  return collectWork(task, message, merged);
}

const DEFAULT_MESSAGE: Record<FeedbackKind, string> = {
  design_feedback: 'docs: revise the design after feedback',
  implementation_feedback: 'Address feedback',
};

const RESOLVED: MergeNote = { kind: 'merged', files: [] };

function build(feedback: Feedback, threadId: string | null, complaint: Complaint | null) {
  const { task, context, kind, frame, changedFiles, code, merged } = feedback;
  const summary = chooseSummary(threadId, context.stateSummary);
  // If the required tests ran, the agent had already resolved the conflicts.
  const merge = complaint === null || merged === null ? feedback.merge : RESOLVED;
  const prompt = FEEDBACK_PROMPTS[kind]({ context, changedFiles, code, summary, merge }, frame);
  const turn = buildFeedbackPackage(context, { ...task, changedFiles });
  return buildRequest(kind, task, { threadId, prompt, complaint, turn });
}

function conclude(
  { context }: Feedback,
  output: FeedbackOutput,
  work: Work,
): Pick<Extract<Round, { kind: 'done' }>, 'result' | 'commit'> {
  if (output.blocked_reason !== null)
    return { result: block('agent_blocked', output.blocked_reason), commit: null };
  switch (work.kind) {
    case 'rewritten':
      return { result: block('history_rewritten', work.reason, work.observedSha), commit: null };
    case 'refused':
      return { result: block('agent_blocked', work.reason), commit: null };
    case 'faulty':
      return { result: block(work.holdKind, work.reason), commit: null };
    case 'empty':
      return { result: buildAnswer(context, output), commit: null };
    case 'commit':
      return { result: buildAnswer(context, output), commit: work.commit };
  }
}

function buildAnswer({ events }: FeedbackContext, output: FeedbackOutput): PlanResult {
  const { replies, general } = toAnswers(output);
  const rootOf = (commentId: number): number =>
    events.find(({ kind, id }) => kind === 'review' && id === commentId)?.rootId ?? commentId;
  return {
    kind: 'answer',
    replies: replies.map((reply) => ({ ...reply, rootId: rootOf(reply.commentId) })),
    general,
    ...(output.flaky !== null && {
      rerun: { runId: output.flaky.run_id, attempt: attemptOfRun(events, output.flaky.run_id) },
    }),
  };
}

function attemptOfRun(events: FeedbackContext['events'], runId: number): number {
  return events.find(({ kind, id }) => kind === 'ci' && id === runId)?.check?.attempt ?? 1;
}

function block(blockKind: BlockKind, reason: string, observedSha: string | null = null): PlanResult {
  return { kind: 'block', blockKind, reason, observedSha };
}
