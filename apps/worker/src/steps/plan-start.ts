import type { AgentOutput } from '@mergexo/core/agent';
import { chooseSummary, decideSession, type Frame, renderTestsComplaint } from '@mergexo/core/prompts';
import {
  isOfFamily,
  type KindOf,
  renderImplementationStart,
  START_PROMPTS,
  StartContext,
  type WaitKind,
} from '@mergexo/core/turns';
import { ask, type Question } from './ask/ask.js';
import { buildFrame } from './ask/build-frame.js';
import { buildRequest, buildStartPackage } from './ask/build-request.js';
import { buildParcel } from './build-parcel.js';
import { collectWork, commitDocument, type Work } from './collect-work.js';
import { explainUntestable } from './explain-untestable.js';
import { type Basis, checkAcceptance, declareImplemented, readBasis } from './implementation.js';
import { type MakePlan, type Planned, trouble } from './make-plan.js';
import { type Idea, readChange, readDesign, readImplementation } from './read-start.js';
import type { Commit, PlanTools, Task } from './task.js';
import { withSlot } from './with-slot.js';
import { type Round, workInRounds } from './work-in-rounds.js';

/** `basis`: the merged design that an implementation carries out. */
type Start = { tools: PlanTools; task: Task; kind: StartKind; context: StartContext; basis: Basis | null };

type StartKind = KindOf<'start'>;

/** From an issue to commits that are ready to be frozen; nothing has been sent yet. */
export function createPlanStart(tools: PlanTools): MakePlan {
  return async (begun, signal, report) => {
    const { turnKind: kind } = begun;
    if (!isOfFamily(kind, 'start')) return trouble(`${kind} is no start that this worker knows`);
    const context = StartContext.parse(begun.context);
    const { repo: repoName, branch, issue } = context;
    // Work that waited goes on where it was.
    const startSha = context.followup?.checkpoint?.sha ?? null;
    const request = { begun, report, signal, repoName, branch, issueNumber: issue.number, startSha };
    return withSlot(tools, request, async (task) => {
      const basis = await readBasis(task, context);
      if (context.design !== null && basis === null) return waitForDocument(tools, task, context.design.path);
      const untestable = await explainUntestable(tools, task);
      if (untestable !== undefined) return waitForTests(tools, task, untestable);
      const start = { tools, task, kind, context, basis };
      const repairs = { left: 1 };
      const mode = tools.sessionMode ?? 'resume';
      const { adapter } = task.repo.agent;
      const { session: stored, stateSummary } = context;
      let { threadId } = decideSession({ mode, adapter, stored, stateSummary });
      return workInRounds(tools, task, {
        ask: async (complaint) => {
          const heard = await hear(start, { threadId, repairs, complaint });
          if (heard.kind === 'failed') return heard;
          threadId = heard.threadId;
          return toRound(start, heard);
        },
        giveUp: (reason) => ({ kind: 'wait', waitKind: 'tests_failed', reason }),
      });
    });
  };
}

/** Somebody took it away after the merge; a person decides what becomes of the work. */
function waitForDocument(tools: PlanTools, task: Task, path: string): Planned {
  const reason = `The design document \`${path}\` is not in the base branch any more.`;
  const result = { kind: 'wait', waitKind: 'agent_blocked', reason } as const;
  const words = { threadId: null, stateSummary: '' };
  return { kind: 'planned', parcel: buildParcel(tools.redact, task, { words, result, commit: null }) };
}

/** The agent was not asked, so what is known of its conversation stays. */
function waitForTests(tools: PlanTools, task: Task, reason: string): Planned {
  const result = { kind: 'wait', waitKind: 'tests_unavailable', reason } as const;
  return { kind: 'planned', parcel: buildParcel(tools.redact, task, { words: null, result, commit: null }) };
}

type Asking = Pick<Question<StartKind>, 'threadId' | 'repairs'> & { complaint: string | null };
type Said = { kind: 'heard'; threadId: string | null; idea: Idea; work: Work };
type Answered = Said | Extract<Round, { kind: 'failed' }>;

async function hear(start: Start, asking: Asking): Promise<Answered> {
  const { tools, kind, context, basis } = start;
  switch (kind) {
    case 'design_start':
      return put(start, asking, kind, (output) => readDesign(context, output, tools.now()));
    case 'bugfix_start':
    case 'small_job_start':
      return put(start, asking, kind, readChange);
    case 'implementation_start':
      return put(start, asking, kind, (output) => readImplementation(output, basis));
  }
}

async function put<Kind extends StartKind>(
  start: Start,
  asking: Asking,
  kind: Kind,
  read: (output: AgentOutput<Kind>) => Idea,
): Promise<Answered> {
  const { tools, task, context } = start;
  const complaint = asking.complaint === null ? [] : [renderTestsComplaint(asking.complaint)];
  const frame = await buildFrame(tools, task, kind);
  const turn = buildStartPackage(context, task);
  let work: Work = { kind: 'empty' };
  const heard = await ask(tools, task, {
    ...asking,
    build: (threadId) => {
      const summary = chooseSummary(threadId, context.stateSummary);
      const prompt = [renderStart(start, kind, frame, summary), ...complaint].join('\n\n');
      return buildRequest(kind, task, { threadId, prompt, turn });
    },
    check: async (output: AgentOutput<Kind>) => {
      const idea = read(output);
      if (idea.kind === 'work') work = await collectIdea(start, idea);
      // A third answer would not help where the second left faults: a person has to know of them.
      const faults = work.kind === 'faulty' && asking.repairs.left > 0 ? work.complaints : [];
      return [...faults, ...(await checkStart(start, output))];
    },
  });
  return heard.kind === 'failed' ? heard : { ...heard, idea: read(heard.output), work };
}

/** Turns the edits, or the document, into a commit. */
async function collectIdea(
  { tools, task, basis }: Start,
  { commitMessage, document }: Extract<Idea, { kind: 'work' }>,
): Promise<Work> {
  const message = { text: commitMessage, redact: tools.redact };
  if (basis !== null) await declareImplemented(task, basis, tools.now());
  return document === null ? collectWork(task, message) : commitDocument(task, message, document);
}

function renderStart(
  { context, basis, task }: Start,
  kind: StartKind,
  frame: Frame,
  summary: string | null,
): string {
  if (kind !== 'implementation_start') return START_PROMPTS[kind](context, frame, summary);
  if (basis === null) throw new Error('an implementation needs its design');
  const base = { branch: task.repo.defaultBranch, sha: task.baseSha };
  return renderImplementationStart(context, { handoff: basis.handoff, base }, frame, summary);
}

/** What an implementation says about the design's criteria must be there. */
async function checkStart(
  { task, basis }: Start,
  output: AgentOutput<StartKind>,
): Promise<readonly string[]> {
  if (basis === null || output.kind === 'blocked' || !('acceptance' in output)) return [];
  return checkAcceptance(task, basis, output.acceptance);
}

/** The commit, or why the work waits; what there is of the work then becomes a checkpoint. */
async function toRound(start: Start, { threadId, idea, work }: Said): Promise<Round> {
  const { task, context } = start;
  if (idea.kind === 'blocked') {
    return {
      kind: 'done',
      words: { threadId, stateSummary: context.stateSummary },
      result: { kind: 'wait', waitKind: 'agent_blocked', reason: idea.reason },
      commit: await keepWork(start),
    };
  }
  const words = { threadId, stateSummary: idea.stateSummary };
  const wait = (waitKind: WaitKind, reason: string, commit: Commit | null = null): Round => ({
    kind: 'done',
    words,
    result: { kind: 'wait', waitKind, reason },
    commit,
  });
  switch (work.kind) {
    case 'empty':
      // Nothing is left to be done: what waited is opened as it is.
      if (context.followup?.checkpoint) {
        const lacking = await findMissingTest(start, task.startSha);
        if (lacking !== undefined) return wait('tests_missing', `No changed file matches \`${lacking}\`.`);
        return { kind: 'done', words, result: idea.result, commit: { sha: task.startSha, bundle: null } };
      }
      return wait('no_changes', 'No file differs from the base branch.');
    case 'rewritten':
      return wait('history_rewritten', work.reason);
    case 'refused':
    case 'faulty':
      return wait('agent_blocked', work.reason);
    case 'commit': {
      if (await isOnlyDocument(start, work.commit.sha))
        return wait('no_changes', 'No file but the design document differs from the base branch.');
      const pattern = await findMissingTest(start, work.commit.sha);
      if (pattern !== undefined)
        return wait('tests_missing', `No changed file matches \`${pattern}\`.`, work.commit);
      return { kind: 'done', words, result: idea.result, commit: work.commit };
    }
  }
}

/** A design is one document, which is not there yet; whatever else lies in the slot is no part of it. */
async function keepWork({ tools, task, context }: Start): Promise<Commit | null> {
  if (context.flow === 'design_doc') return null;
  const work = await collectWork(task, { text: checkpointMessage(context), redact: tools.redact });
  return work.kind === 'commit' ? work.commit : null;
}

function checkpointMessage({ flow, issue }: StartContext): string {
  return `chore: checkpoint of the blocked ${flow} work for issue #${issue.number}`;
}

/** To say that a design is implemented is no implementation. */
async function isOnlyDocument({ task, basis }: Start, head: string): Promise<boolean> {
  if (basis === null) return false;
  const files = await task.slot.compare({ base: task.baseSha, head, maxFiles: 2 });
  return files.every(({ path }) => path === basis.path);
}

/** The pattern of tests that a fix must bring along and does not, in all that it changes. */
async function findMissingTest({ task, context }: Start, head: string): Promise<string | undefined> {
  const { testFileRegex } = task.repo;
  if (context.flow !== 'bugfix' || testFileRegex === undefined) return undefined;
  const pattern = new RegExp(testFileRegex);
  const files = await task.slot.compare({ base: task.baseSha, head, maxFiles: 10_000 });
  return files.some(({ path }) => pattern.test(path)) ? undefined : testFileRegex;
}
