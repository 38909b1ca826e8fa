import {
  type AgentOutput,
  type AgentRequest,
  buildRepairRequest,
  parseAgentOutput,
  type TurnKind,
} from '@mergexo/core';
import {
  type Agent,
  type AgentFailed,
  type AgentRun,
  type AgentUsage,
  NO_USAGE,
  type TurnPlace,
} from './agent.js';
import { clip } from './printable.js';

export type Question<Kind extends TurnKind> = {
  agent: Agent;
  request: AgentRequest & { kind: Kind };
  place: TurnPlace;
  /** Further complaints that need to know the turn: foreign comment ids, events without an answer. */
  check?: (output: AgentOutput<Kind>) => readonly string[];
};

export type Asked<Kind extends TurnKind = TurnKind> =
  | { kind: 'answered'; threadId: string | null; output: AgentOutput<Kind>; usage: AgentUsage }
  | AgentFailed;

type Judged<Kind extends TurnKind> =
  | { kind: 'good'; asked: Asked<Kind> }
  | { kind: 'bad'; errors: readonly string[]; threadId: string | null };

/** One turn, checked. Output that cannot be used gets one chance of repair in the same session; then the turn failed. */
export async function askAgent<Kind extends TurnKind>(question: Question<Kind>): Promise<Asked<Kind>> {
  const { agent, request, place } = question;
  const { session } = request;
  if (session !== null && session.adapter !== agent.name) {
    const message = `the session is one of ${clip(session.adapter, 100)}, which ${agent.name} cannot go on with`;
    return { kind: 'failed', failure: 'session-lost', message, usage: NO_USAGE };
  }
  const first = await agent.runTurn(request, place);
  const judged = judge(question, first);
  if (judged.kind === 'good') return judged.asked;

  const threadId = judged.threadId ?? session?.thread_id ?? null;
  const complaint = { errors: judged.errors, threadId, adapter: agent.name };
  const second = await agent.runTurn(buildRepairRequest(request, complaint), place);
  const usage = sumUsage(first.usage, second.usage);
  const repaired = judge(question, loseChance(second));
  if (repaired.kind === 'good') return { ...repaired.asked, usage };
  const message = `the output could not be used, also after one repair: ${repaired.errors.join('; ')}`;
  return { kind: 'failed', failure: 'invalid-output', message: clip(message, MAX_MESSAGE), usage };
}

const MAX_MESSAGE = 2_000;

function judge<Kind extends TurnKind>(question: Question<Kind>, run: AgentRun): Judged<Kind> {
  if (run.kind === 'failed') {
    if (run.failure !== 'invalid-output') return { kind: 'good', asked: run };
    return { kind: 'bad', errors: [run.message], threadId: null };
  }
  const { threadId, usage } = run;
  const parsed = parseAgentOutput(question.request.kind, run.output);
  if (parsed.kind === 'invalid') return { kind: 'bad', errors: parsed.errors, threadId };
  const errors = question.check?.(parsed.output) ?? [];
  if (errors.length > 0) return { kind: 'bad', errors, threadId };
  return { kind: 'good', asked: { kind: 'answered', threadId, output: parsed.output, usage } };
}

/** A session that is lost between an answer and its repair has used up its one chance: a fresh start would give another. */
function loseChance(run: AgentRun): AgentRun {
  if (run.kind === 'answered' || run.failure !== 'session-lost') return run;
  return { ...run, failure: 'invalid-output' };
}

function sumUsage(one: AgentUsage, other: AgentUsage): AgentUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    costUsd: one.costUsd + other.costUsd,
  };
}
