import type { StepKind } from '@mergexo/core/agent';
import { z } from 'zod';
import type { AgentUsage } from '../turn/agent.js';
import { ANSWERED, type ShowProgress } from '../turn/show-progress.js';

const Text = z.string();
const Tokens = z.number().min(0).max(1e12).catch(0);

const Block = z.object({
  type: Text,
  text: Text.optional(),
  thinking: Text.optional(),
  name: Text.optional(),
  input: z.unknown().optional(),
});
type Block = z.infer<typeof Block>;

const RateLimit = z.object({ status: Text, resetsAt: z.number().optional() });

const Usage = z.object({
  input_tokens: Tokens,
  cache_creation_input_tokens: Tokens,
  cache_read_input_tokens: Tokens,
  output_tokens: Tokens,
});

const Result = z.object({
  type: z.literal('result'),
  subtype: Text,
  is_error: z.boolean(),
  session_id: Text,
  result: Text.nullish(),
  errors: z.array(Text).nullish(),
  structured_output: z.unknown().optional(),
  api_error_status: z.number().nullish(),
  api_error: Text.nullish(),
  terminal_reason: Text.nullish(),
  total_cost_usd: z.number().min(0).max(1e12).catch(0),
  usage: Usage,
});
export type ClaudeResult = z.infer<typeof Result>;

const Line = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('assistant'),
    message: z.object({ content: z.array(Block), model: Text.nullish() }),
  }),
  z.object({ type: z.literal('system'), subtype: Text, message: Text.nullish(), error: Text.nullish() }),
  z.object({ type: z.literal('rate_limit_event'), rate_limit_info: RateLimit }),
  Result,
]);

/** Data collected from the output of one `claude -p` run while the program runs. */
export type ClaudeOutput = {
  result: ClaudeResult | undefined;
  /** The time at which an exceeded limit resets. */
  resetsAtMs: number | undefined;
  /** The model of the latest message. */
  model: string | undefined;
};

export function readClaudeEvents() {
  const output: ClaudeOutput = { result: undefined, resetsAtMs: undefined, model: undefined };
  return {
    output,
    onLine: (value: object, show: ShowProgress): void => {
      const { data: line } = Line.safeParse(value);
      switch (line?.type) {
        case 'assistant':
          output.model = line.message.model ?? output.model;
          for (const block of line.message.content) showBlock(block, show);
          return;
        case 'system':
          if (line.subtype === 'permission_denied') show('trouble', `denied: ${line.message ?? ''}`);
          if (line.subtype === 'api_retry') show('trouble', `retrying: ${line.error ?? ''}`);
          return;
        case 'rate_limit_event': {
          const { status, resetsAt } = line.rate_limit_info;
          output.resetsAtMs = status === 'rejected' && resetsAt !== undefined ? resetsAt * 1_000 : undefined;
          return;
        }
        case 'result':
          output.result = line;
      }
    },
  };
}

function showBlock(block: Block, show: ShowProgress): void {
  const step = describeBlock(block);
  if (step !== undefined) show(...step);
}

function describeBlock({ type, text, thinking, name, input }: Block): [StepKind, string] | undefined {
  if (type === 'text') return ['say', text ?? ''];
  if (type === 'thinking') return ['think', thinking ?? ''];
  if (type !== 'tool_use') return undefined;
  if (name === 'StructuredOutput') return ['say', ANSWERED];
  const kind = TOOLS.find(([, names]) => names.includes(name ?? ''))?.[0] ?? 'tool';
  const subject = readSubject(input);
  if (kind === 'tool') return [kind, [name, subject].filter(Boolean).join(' ')];
  return [kind, subject ?? name ?? ''];
}

/** All other tools are of the kind `tool`. */
const TOOLS: readonly [StepKind, readonly string[]][] = [
  ['run', ['Bash']],
  ['read', ['Read', 'Grep', 'Glob', 'LS']],
  ['edit', ['Write', 'Edit', 'MultiEdit', 'NotebookEdit']],
];

/** The inputs of tools that say most about a call, in this order. */
const SUBJECTS = ['command', 'file_path', 'notebook_path', 'pattern', 'path', 'query', 'url', 'description'];

function readSubject(input: unknown): string | undefined {
  const fields = Object(input);
  return SUBJECTS.map((name) => fields[name]).find((value) => typeof value === 'string');
}

/** Claude Code reports the tokens of one run, but the cost of the whole session so far. */
export function toTotal({ usage, total_cost_usd }: ClaudeResult): AgentUsage {
  return {
    inputTokens: usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens,
    outputTokens: usage.output_tokens,
    costUsd: total_cost_usd,
    cachedTokens: usage.cache_read_input_tokens,
  };
}
