import type { StepKind } from '@mergexo/core/agent';
import { z } from 'zod';
import { type AgentUsage, NO_USAGE } from '../turn/agent.js';
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

/** The start and the end of a message from the model. Other parts of a message are not needed. */
const MessagePart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message_start'), message: z.object({ usage: Usage }) }),
  z.object({ type: z.literal('message_delta'), usage: z.object({ output_tokens: Tokens }) }),
]);
type MessagePart = z.infer<typeof MessagePart>;

const Line = z.discriminatedUnion('type', [
  z.object({ type: z.literal('stream_event'), event: MessagePart }),
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
  /** The sum over the messages so far, without sub-agents. */
  soFar: AgentUsage;
};

export function readClaudeEvents() {
  const output: ClaudeOutput = {
    result: undefined,
    resetsAtMs: undefined,
    model: undefined,
    soFar: { ...NO_USAGE, cachedTokens: 0 },
  };
  const addPart = createSum(output);
  return {
    output,
    onLine: (value: object, show: ShowProgress): void => {
      const { data: line } = Line.safeParse(value);
      switch (line?.type) {
        case 'stream_event':
          addPart(line.event);
          return;
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

/** Adds up the tokens of messages. The output tokens at the end of a message replace those reported at its start. */
function createSum(output: ClaudeOutput): (part: MessagePart) => void {
  let ofMessage = 0;
  return (part) => {
    const { inputTokens, outputTokens, cachedTokens = 0 } = output.soFar;
    if (part.type === 'message_start') {
      const used = toTokens(part.message.usage);
      ofMessage = used.outputTokens;
      output.soFar = {
        ...output.soFar,
        inputTokens: inputTokens + used.inputTokens,
        cachedTokens: cachedTokens + used.cachedTokens,
        outputTokens: outputTokens + used.outputTokens,
      };
      return;
    }
    const grown = Math.max(0, part.usage.output_tokens - ofMessage);
    ofMessage += grown;
    output.soFar = { ...output.soFar, outputTokens: outputTokens + grown };
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

/** The tool inputs that best describe a call, best first. */
const SUBJECTS = ['command', 'file_path', 'notebook_path', 'pattern', 'path', 'query', 'url', 'description'];

function readSubject(input: unknown): string | undefined {
  const fields = Object(input);
  return SUBJECTS.map((name) => fields[name]).find((value) => typeof value === 'string');
}

/** Claude Code reports the tokens of one run, but the cost of the whole session so far. */
export function toTotal({ usage, total_cost_usd }: ClaudeResult): AgentUsage {
  return { ...toTokens(usage), costUsd: total_cost_usd };
}

function toTokens(usage: z.infer<typeof Usage>) {
  return {
    inputTokens: usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens,
    outputTokens: usage.output_tokens,
    cachedTokens: usage.cache_read_input_tokens,
  };
}
