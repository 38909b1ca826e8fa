import type { Agent, AgentFailed, AgentRun } from '@mergexo/agents';
import {
  type AgentOutput,
  type AgentRequest,
  type AgentStep,
  buildRepairRequest,
  buildStep,
  buildUsageStep,
  parseAgentOutput,
} from '@mergexo/core/agent';
import { failpoint } from '@mergexo/core/basics';
import type { Redact } from '@mergexo/core/text';
import type { QuestionKind } from '@mergexo/core/turns';
import type { SetupHome } from '../check/setup-home.js';
import { type PlanFailed, trouble } from '../make-plan.js';
import type { PlanTools, Task } from '../task.js';
import type { Built } from './build-request.js';

export type Question<Kind extends QuestionKind> = {
  /** Builds the request for a session. Null starts a new session. */
  build(threadId: string | null): Built<Kind>;
  threadId: string | null;
  /** Checks an output that matches the schema, and returns complaints for the agent. May read the slot. */
  check(output: AgentOutput<Kind>): Promise<readonly string[]>;
  /** The repair budget that all requests of the turn share. */
  repairs: Repairs;
};

/** How many more times unusable output may be sent back to the agent. */
export type Repairs = { left: number };

export type Asked<Kind extends QuestionKind> =
  | { kind: 'answered'; threadId: string | null; output: AgentOutput<Kind> }
  | { kind: 'failed'; failed: PlanFailed };

type Read<Kind extends QuestionKind> =
  | { kind: 'good'; output: AgentOutput<Kind> }
  | { kind: 'bad'; errors: readonly string[] };

type AskTools = Pick<PlanTools, 'agents' | 'homeOf' | 'redact'>;

type AskTask = Pick<
  Task,
  'agent' | 'repo' | 'issueNumber' | 'begun' | 'signal' | 'meter' | 'report' | 'handouts'
> & {
  setupHome?: Pick<SetupHome, 'path'> | undefined;
  slot: Pick<Task['slot'], 'path' | 'mirrorPath' | 'prepareAgent'>;
};

/**
 * Asks until the output is usable. The agent gets all complaints at once, from both the schema and the check. Replaces
 * a lost session with a new one, at most once.
 */
export async function ask<Kind extends QuestionKind>(
  tools: AskTools,
  task: AskTask,
  question: Question<Kind>,
): Promise<Asked<Kind>> {
  const fail = (failed: PlanFailed): Asked<Kind> => ({
    kind: 'failed',
    failed: { ...failed, reason: tools.redact(failed.reason), usage: task.meter.total() },
  });
  const found = tools.agents.find(task.agent.adapter);
  if (found.kind === 'refused') return fail(trouble(found.reason, { retryAfterMs: 5 * MINUTE }));
  const { agent } = found;
  let { threadId } = question;
  let errors: readonly string[] = [];
  let mayStartAnew = true;
  for (;;) {
    const { request: plain, files } = question.build(threadId);
    const home = tools.homeOf(task, plain.kind);
    const repaired = buildRepairRequest(plain, { errors, threadId, adapter: agent.name });
    await task.handouts.write(files);
    const run = await runOnce(agent, errors.length === 0 ? plain : repaired, {
      task,
      home,
      redact: tools.redact,
    });
    if (isSessionLost(run) && threadId !== null && mayStartAnew) {
      mayStartAnew = false;
      threadId = null;
      continue;
    }
    if (run.kind === 'failed' && run.failure !== 'invalid-output') return fail(explain(run, agent.name));
    const read = await readRun(question, plain.kind, run);
    const answered = run.kind === 'answered' ? run.threadId : null;
    if (read.kind === 'good') return { kind: 'answered', threadId: answered, output: read.output };
    if (question.repairs.left === 0) return fail(unusable(read.errors));
    question.repairs.left -= 1;
    errors = read.errors;
    threadId = answered ?? threadId;
  }
}

async function runOnce(
  agent: Agent,
  request: AgentRequest,
  { task, home, redact }: { task: AskTask; home: string; redact: Redact },
): Promise<AgentRun> {
  const { slot, handouts, begun, signal, meter, report } = task;
  const commandHome = task.setupHome?.path();
  await slot.prepareAgent();
  const startedAt = performance.now();
  const run = await agent.runTurn(request, {
    cwd: slot.path,
    home,
    ...(commandHome !== undefined && { commandHome }),
    signal,
    readOnlyPaths: [slot.mirrorPath],
    handouts: [handouts.path, ...(begun.attached ? [begun.attached.directory] : [])],
    onEvent: (event) => {
      if (event.kind === 'started') failpoint('worker:agent-started');
      if (event.kind === 'progress') reportStep(report, buildStep(event.step, event.text, redact));
      if (event.kind === 'usage') report.show(buildUsageStep(meter.totalWith(event.usage)));
      if (event.kind === 'refused-host') report.refusedHost(redact(event.host));
    },
  });
  meter.add(run.usage, performance.now() - startedAt);
  failpoint('worker:agent-ended');
  return run;
}

function reportStep({ step, show }: Task['report'], found: AgentStep | undefined): void {
  if (found === undefined) return;
  step(`${found.kind}: ${found.text}`);
  show(found);
}

async function readRun<Kind extends QuestionKind>(
  { check }: Question<Kind>,
  kind: Kind,
  run: AgentRun,
): Promise<Read<Kind>> {
  if (run.kind === 'failed') return { kind: 'bad', errors: [run.message] };
  const parsed = parseAgentOutput(kind, run.output);
  if (parsed.kind === 'invalid') return { kind: 'bad', errors: parsed.errors };
  const errors = await check(parsed.output);
  return errors.length > 0 ? { kind: 'bad', errors } : { kind: 'good', output: parsed.output };
}

function isSessionLost(run: AgentRun): boolean {
  // A session whose context is full counts as lost, because it cannot continue either.
  return run.kind === 'failed' && (run.failure === 'session-lost' || run.failure === 'context-exhausted');
}

const MINUTE = 60_000;

function unusable(errors: readonly string[]): PlanFailed {
  const reason = `the agent's output is unusable, even after one repair: ${errors.join('; ')}`;
  return { ...trouble(reason), cause: 'unusable' };
}

/**
 * Explains the failure. A missing, logged-out, overloaded or limited agent does not count as a failed attempt of the
 * turn.
 */
function explain({ failure, message, retryAfterMs }: AgentFailed, adapter: string): PlanFailed {
  const reason = `${failure}: ${message}`;
  switch (failure) {
    case 'not-installed':
    case 'not-logged-in':
    case 'overloaded':
      return trouble(reason, { retryAfterMs: retryAfterMs ?? 5 * MINUTE });
    // The provider would refuse other turns too, so all turns of this adapter wait.
    case 'usage-limit':
      return { ...trouble(reason, { retryAfterMs: retryAfterMs ?? 5 * MINUTE }), limitedAdapter: adapter };
    default:
      return { ...trouble(reason, { retryAfterMs: retryAfterMs ?? null }), cause: 'agent' };
  }
}
