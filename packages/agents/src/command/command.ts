import { AgentAnswer, type AgentRequest } from '@mergexo/core/agent';
import { z } from 'zod';
import { collectAll } from '../output/bounded-output.js';
import { describeNonJson } from '../output/describe-non-json.js';
import { clip } from '../output/printable.js';
import type { Host } from '../run/run-confined.js';
import type { Limits } from '../run/watch-limits.js';
import { createOutputRedact } from '../sandbox/environment.js';
import { type Agent, type AgentRun, type AgentUsage, NO_USAGE, type TurnPlace } from '../turn/agent.js';
import { describeEnd } from '../turn/describe-end.js';
import { runAgentProcess } from '../turn/run-agent-process.js';

const MAX_ANSWER_BYTES = 10 * 1024 * 1024;
const MAX_COMPLAINT_CHARACTERS = 300;

type CommandOptions = { host: Host; argv: readonly [string, ...string[]]; limits: Limits };

/**
 * Any program that reads one JSON request from standard input and writes one JSON answer to standard output. If it does
 * not know the session it was given, it answers `{"error": "session_lost"}`, with `usage` if it likes. It exits with 0
 * in both cases.
 */
export function createCommandAgent({ host, argv, limits }: CommandOptions): Agent {
  const redact = createOutputRedact(host);
  return {
    name: 'command',
    runTurn: async (request: AgentRequest, place: TurnPlace): Promise<AgentRun> => {
      const { onEvent } = place;
      const answer = collectAll(MAX_ANSWER_BYTES);
      const { end, log } = await runAgentProcess(host, place, redact, {
        argv,
        stdin: JSON.stringify(request),
        stdout: answer.sink,
        limits,
      });
      const said = parseJson(answer.text());
      const complaint = explainUsage(said);
      if (complaint !== undefined) onEvent?.({ kind: 'log', text: complaint });
      if (said.kind === 'text') {
        onEvent?.({ kind: 'log', text: describeNonJson(answer.text(), redact) });
      }
      if (end.kind === 'exited' && end.code === 0 && end.survivors.length === 0) {
        return readAnswer(said, request);
      }
      return { kind: 'failed', usage: readUsage(said), ...describeEnd(end, log) };
    },
  };
}

type Said = { kind: 'nothing' } | { kind: 'text' } | { kind: 'json'; value: unknown };

const { usage: Usage } = AgentAnswer.shape;
// An invalid usage figure must not discard the answer.
const anyUsage = { usage: z.unknown().optional() };
const Answer = AgentAnswer.extend(anyUsage);
const SessionLost = z.strictObject({ error: z.literal('session_lost'), ...anyUsage });

function readAnswer(said: Said, { session }: AgentRequest): AgentRun {
  const usage = readUsage(said);
  const failed = (message: string): AgentRun => ({
    kind: 'failed',
    failure: 'invalid-output',
    message,
    usage,
  });
  if (said.kind === 'nothing') return failed('the agent printed no answer');
  if (said.kind === 'text') return failed('the answer on standard output is not exactly one JSON value');
  if (SessionLost.safeParse(said.value).success) {
    // Otherwise the caller would start new sessions without end.
    if (session === null) return failed('the agent says that it lost its session, but it was given none');
    const message = 'the agent does not know the session it was to go on with';
    return { kind: 'failed', failure: 'session-lost', message, usage };
  }
  const parsed = Answer.safeParse(said.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const complaint = clip(`${issue?.path.join('.')}: ${issue?.message}`, MAX_COMPLAINT_CHARACTERS);
    return failed(`the answer is no {session, output, usage}: ${complaint}`);
  }
  return { kind: 'answered', threadId: parsed.data.session.thread_id, output: parsed.data.output, usage };
}

function parseJson(text: string): Said {
  if (text.trim() === '') return { kind: 'nothing' };
  try {
    return { kind: 'json', value: JSON.parse(text) };
  } catch {
    return { kind: 'text' };
  }
}

/** More than any real turn, and small enough to be added up. */
const MAX_COUNT = 1e12;

/** Read from unusable answers as well: their tokens were spent, too. */
function readUsage(said: Said): AgentUsage {
  const { data } = z.object({ usage: Figures }).safeParse(said.kind === 'json' ? said.value : undefined);
  if (data === undefined) return NO_USAGE;
  const { input_tokens, output_tokens, cost_usd } = data.usage;
  const cap = (count: number): number => Math.min(count, MAX_COUNT);
  return { inputTokens: cap(input_tokens), outputTokens: cap(output_tokens), costUsd: cap(cost_usd) };
}

/** A figure that cannot be read counts as zero; the others still count. */
const Figures = z.object({
  input_tokens: z.int().min(0).catch(0),
  output_tokens: z.int().min(0).catch(0),
  cost_usd: z.number().min(0).catch(0),
});

function explainUsage(said: Said): string | undefined {
  const { error } = z.object({ usage: Usage }).safeParse(said.kind === 'json' ? said.value : {});
  const issue = error?.issues.find(({ path }) => path[0] === 'usage');
  if (issue === undefined) return undefined;
  const complaint = `${issue.path.join('.')}: ${issue.message}`;
  return clip(
    `MergeXO ignores figures of the answer that it cannot read: ${complaint}`,
    MAX_COMPLAINT_CHARACTERS,
  );
}
