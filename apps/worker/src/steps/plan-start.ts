import type { AgentOutput } from '@mergexo/core/agent';
import { chooseSummary, editsFiles, type Frame, type Part } from '@mergexo/core/prompts';
import {
  isOfFamily,
  type KindOf,
  renderImplementationStart,
  START_PROMPTS,
  StartContext,
  type WaitKind,
} from '@mergexo/core/turns';
import { ask } from './ask/ask.js';
import { buildFrame } from './ask/build-frame.js';
import { buildRequest, buildStartPackage } from './ask/build-request.js';
import { toPlanned } from './build-parcel.js';
import { explainComplaint } from './check/explain-complaint.js';
import { explainUntestable } from './check/explain-untestable.js';
import { listTestFiles, proveTests } from './check/prove-tests.js';
import { setUp } from './check/set-up.js';
import { collectWork, commitDocument, type Work } from './collect-work.js';
import { type Basis, checkAcceptance, declareImplemented, readBasis } from './implementation.js';
import { type MakePlan, type Planned, trouble } from './make-plan.js';
import { type Idea, readChange, readDesign, readImplementation } from './read-start.js';
import type { Commit, PlanTools, Task } from './task.js';
import { withSlot } from './with-slot.js';
import { type Asking, type Round, workInRounds } from './work-in-rounds.js';

/** `basis`: the merged design to implement; null for other kinds of start. */
type Start = { tools: PlanTools; task: Task; kind: StartKind; context: StartContext; basis: Basis | null };

type StartKind = KindOf<'start'>;

/** Plans the first commits for an issue. Sends nothing. */
export function createPlanStart(tools: PlanTools): MakePlan {
  return async (begun, signal, report) => {
    const { turnKind: kind } = begun;
    if (!isOfFamily(kind, 'start'))
      return trouble(
        `this worker does not know the turn kind ${kind}; update the worker to the poller's version`,
      );
    const context = StartContext.parse(begun.context);
    // Work that waited for a person resumes from its checkpoint.
    const headSha = context.followup?.checkpoint?.sha ?? null;
    const request = { ...context, begun, signal, report, headSha };
    return withSlot(tools, request, async (task) => {
      const basis = await readBasis(task, context);
      if (context.design !== null && basis === null) return waitForDocument(tools, task, context.design.path);
      const untestable = await explainUntestable(tools, task);
      if (untestable !== undefined) return waitForTests(tools, task, untestable);
      const ready = editsFiles(kind) ? await setUp(tools, task, task.startSha) : undefined;
      if (ready?.kind === 'stopped') return trouble(ready.reason);
      if (ready?.kind === 'failed') return waitForSetup(tools, task, ready.reason);
      const start = { tools, task, kind, context, basis };
      return workInRounds(tools, task, {
        context,
        ask: async (asking) => {
          const asked = await askByKind(start, asking);
          return asked.kind === 'failed' ? asked : toRound(start, asked);
        },
        ...(context.flow === 'bugfix' && { prove: (sha: string) => proveTests(tools, task, sha) }),
        giveUp: (complaint) => ({
          kind: 'wait',
          waitKind: complaint.kind === 'tests-failed' ? 'tests_failed' : 'tests_missing',
          reason: explainComplaint(complaint),
        }),
      });
    });
  };
}

/** Waits for a person to decide how to continue, because the document was removed after its merge. */
function waitForDocument(tools: PlanTools, task: Task, path: string): Planned {
  const reason = `The design document \`${path}\` is no longer in the base branch. Restore it there, or close the issue if the design was dropped.`;
  const session = { threadId: null, stateSummary: '' };
  return toPlanned(tools, task, { session, result: { kind: 'wait', waitKind: 'agent_blocked', reason } });
}

/** Waits until the tests can run. Leaves the stored session unchanged, because the agent was not asked. */
function waitForTests(tools: PlanTools, task: Task, reason: string): Planned {
  return toPlanned(tools, task, { result: { kind: 'wait', waitKind: 'tests_unavailable', reason } });
}

/** Waits until setup works. */
function waitForSetup(tools: PlanTools, task: Task, reason: string): Planned {
  return toPlanned(tools, task, { result: { kind: 'wait', waitKind: 'setup_failed', reason } });
}

type Answered = { kind: 'answered'; threadId: string | null; idea: Idea; work: Work };
type Outcome = Answered | Extract<Round, { kind: 'failed' }>;

async function askByKind(start: Start, asking: Asking): Promise<Outcome> {
  const { tools, kind, context, basis } = start;
  switch (kind) {
    case 'design_start':
      return askFor(start, asking, { kind, read: (output) => readDesign(context, output, tools.now()) });
    case 'bugfix_start':
    case 'small_job_start':
      return askFor(start, asking, { kind, read: readChange });
    case 'implementation_start':
      return askFor(start, asking, { kind, read: (output) => readImplementation(output, basis) });
  }
}

async function askFor<Kind extends StartKind>(
  start: Start,
  asking: Asking,
  { kind, read }: { kind: Kind; read: (output: AgentOutput<Kind>) => Idea },
): Promise<Outcome> {
  const { tools, task, context } = start;
  const { complaint } = asking;
  const frame = await buildFrame(task, kind);
  const turn = buildStartPackage(context, task);
  let work: Work = { kind: 'empty' };
  const asked = await ask(tools, task, {
    ...asking,
    build: (threadId) => {
      const summary = chooseSummary(threadId, context.stateSummary);
      const prompt = renderStart(start, frame, summary);
      return buildRequest(kind, task, { threadId, prompt, complaint, turn });
    },
    check: async (output: AgentOutput<Kind>) => {
      const idea = read(output);
      if (idea.kind === 'work') work = await collectIdea(start, idea);
      // Faults that remain after the repair end the turn, because a person must decide.
      const faults = work.kind === 'faulty' && asking.repairs.left > 0 ? work.complaints : [];
      return [...faults, ...(await checkStart(start, output))];
    },
  });
  return asked.kind === 'failed' ? asked : { ...asked, idea: read(asked.output), work };
}

/** Commits the document, or the edits in the slot if the answer has no document. */
async function collectIdea(
  { tools, task, basis }: Start,
  { commitMessage, document }: Extract<Idea, { kind: 'work' }>,
): Promise<Work> {
  const message = { text: commitMessage, ...tools };
  if (basis !== null) await declareImplemented(task, basis, tools.now());
  return document === null ? collectWork(task, message) : commitDocument(task, message, document);
}

function renderStart({ kind, context, basis, task }: Start, frame: Frame, summary: string | null): Part[] {
  if (kind !== 'implementation_start') return START_PROMPTS[kind](context, frame, summary);
  if (basis === null) throw new Error('an implementation needs its design');
  const base = { branch: task.repo.defaultBranch, sha: task.baseSha };
  return renderImplementationStart(context, { handoff: basis.handoff, base, frame, summary });
}

/** Checks the files that the agent named as proof of the design's acceptance criteria. */
async function checkStart(
  { task, basis }: Start,
  output: AgentOutput<StartKind>,
): Promise<readonly string[]> {
  if (basis === null || output.kind === 'blocked' || !('acceptance' in output)) return [];
  return checkAcceptance(task, basis, output.acceptance);
}

/** Returns the commit, or the reason to wait for a person together with the unfinished work as a checkpoint. */
async function toRound(start: Start, { threadId, idea, work }: Answered): Promise<Round> {
  const { task, context } = start;
  if (idea.kind === 'blocked') {
    return {
      kind: 'done',
      session: { threadId, stateSummary: context.stateSummary },
      result: { kind: 'wait', waitKind: 'agent_blocked', reason: idea.reason },
      commit: await keepWork(start),
    };
  }
  const session = { threadId, stateSummary: idea.stateSummary };
  const wait = (waitKind: WaitKind, reason: string, commit: Commit | null = null): Round => ({
    kind: 'done',
    session,
    result: { kind: 'wait', waitKind, reason },
    commit,
  });
  switch (work.kind) {
    case 'empty':
      // The agent made no further edits, so the checkpoint itself becomes the pull request.
      if (context.followup?.checkpoint) {
        const lacking = await findMissingTest(start, task.startSha);
        if (lacking !== undefined) return wait('tests_missing', `No changed file matches \`${lacking}\`.`);
        return { kind: 'done', session, result: idea.result, commit: { sha: task.startSha, bundle: null } };
      }
      return wait('no_changes', 'No file differs from the base branch.');
    case 'rewritten':
      return wait('history_rewritten', work.reason);
    case 'refused':
      return wait('agent_blocked', work.reason);
    case 'faulty':
      return wait(work.holdKind, work.reason);
    case 'commit': {
      if (await isOnlyDocument(start, work.commit.sha))
        return wait('no_changes', 'No file except the design document differs from the base branch.');
      const pattern = await findMissingTest(start, work.commit.sha);
      if (pattern !== undefined)
        return wait('tests_missing', `No changed file matches \`${pattern}\`.`, work.commit);
      return { kind: 'done', session, result: idea.result, commit: work.commit };
    }
  }
}

/**
 * Keeps the unfinished work as a checkpoint. A blocked design has no checkpoint, because its only file, the document,
 * does not exist yet.
 */
async function keepWork({ tools, task, context }: Start): Promise<Commit | null> {
  if (context.flow === 'design_doc') return null;
  const work = await collectWork(task, { text: checkpointMessage(context), ...tools });
  return work.kind === 'commit' ? work.commit : null;
}

function checkpointMessage({ flow, issue }: StartContext): string {
  return `chore: save unfinished ${flow.replaceAll('_', ' ')} for issue #${issue.number}`;
}

/** True if the design document is the only changed file: marking a design as implemented is not an implementation. */
async function isOnlyDocument({ task, basis }: Start, head: string): Promise<boolean> {
  if (basis === null) return false;
  const files = await task.slot.compare({ base: task.baseSha, head, maxFiles: 2 });
  return files.every(({ path }) => path === basis.path);
}

/** Returns the pattern for regression tests if no file that the fix changes matches it. */
async function findMissingTest({ task, context }: Start, sha: string): Promise<string | undefined> {
  const { testFileRegex } = task.repo;
  if (context.flow !== 'bugfix' || testFileRegex === undefined) return undefined;
  const files = await listTestFiles(task, { sha, testFileRegex });
  return files.length > 0 ? undefined : testFileRegex;
}
