import { AgentAnswer, type AgentRequest } from '@mergexo/core';
import { type Agent, type AgentRun, type AgentUsage, NO_USAGE, type TurnPlace } from './agent.js';
import { collectAll, collectTail, tee } from './bounded-output.js';
import { describeEnd } from './describe-end.js';
import { type Host, runConfined } from './run-confined.js';
import type { Limits } from './watch-limits.js';

const MAX_ANSWER_BYTES = 10 * 1024 * 1024;
const MAX_LOG_CHARACTERS = 4_000;

export type CommandOptions = { host: Host; argv: readonly [string, ...string[]]; limits: Limits };

/** Any program that reads one JSON request from standard input and writes one JSON answer to standard output. */
export function createCommandAgent({ host, argv, limits }: CommandOptions): Agent {
  return {
    name: 'command',
    runTurn: async (request: AgentRequest, place: TurnPlace): Promise<AgentRun> => {
      const { cwd, home, signal, readOnlyPaths = [], onEvent } = place;
      const answer = collectAll(MAX_ANSWER_BYTES);
      const log = collectTail(MAX_LOG_CHARACTERS);
      const show = (chunk: Buffer): void =>
        onEvent?.({ kind: 'log', text: chunk.subarray(0, MAX_LOG_CHARACTERS).toString('utf8') });
      const end = await runConfined(host, {
        argv,
        cwd,
        home,
        stdin: JSON.stringify(request),
        stdout: answer.sink,
        stderr: tee(log.sink, show),
        limits,
        signal,
        network: true,
        readOnlyPaths,
        onStart: (pid) => onEvent?.({ kind: 'started', pid }),
      });
      if (end.kind === 'exited' && end.code === 0) return readAnswer(answer.text());
      return { kind: 'failed', usage: NO_USAGE, ...describeEnd(end, log.text()) };
    },
  };
}

function readAnswer(text: string): AgentRun {
  const failed = (message: string): AgentRun => ({
    kind: 'failed',
    failure: 'invalid-output',
    message,
    usage: NO_USAGE,
  });
  if (text.trim() === '') return failed('the agent printed no answer');
  const json = parseJson(text);
  if (json === undefined) return failed('the answer on standard output is not exactly one JSON value');
  const parsed = AgentAnswer.safeParse(json.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return failed(`the answer is no {session, output, usage}: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { session, output, usage } = parsed.data;
  return { kind: 'answered', threadId: session.thread_id, output, usage: toUsage(usage) };
}

function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function toUsage(usage: AgentAnswer['usage']): AgentUsage {
  if (usage === undefined) return NO_USAGE;
  const { input_tokens, output_tokens, cost_usd } = usage;
  return { inputTokens: input_tokens, outputTokens: output_tokens, costUsd: cost_usd ?? 0 };
}
