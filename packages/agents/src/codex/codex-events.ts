import type { StepKind } from '@mergexo/core/agent';
import { z } from 'zod';
import { parseJson } from '../output/json.js';
import type { AgentUsage } from '../turn/agent.js';
import { ANSWERED, type ShowProgress } from '../turn/show-progress.js';
import { toUsage } from './thread-file.js';

const Text = z.string();
const Tokens = z.number().min(0).max(1e12).catch(0);

const Item = z.object({
  type: Text,
  text: Text.optional(),
  message: Text.optional(),
  command: Text.optional(),
  exit_code: z.number().nullish(),
  query: Text.optional(),
  server: Text.optional(),
  tool: Text.optional(),
  changes: z.array(z.object({ path: Text, kind: Text.optional() })).optional(),
});
type Item = z.infer<typeof Item>;

const Line = z.discriminatedUnion('type', [
  z.object({ type: z.literal('thread.started'), thread_id: Text }),
  z.object({ type: z.literal('item.started'), item: Item }),
  z.object({ type: z.literal('item.completed'), item: Item }),
  z.object({
    type: z.literal('turn.completed'),
    usage: z.object({ input_tokens: Tokens, cached_input_tokens: Tokens.optional(), output_tokens: Tokens }),
  }),
  z.object({ type: z.literal('turn.failed'), error: z.object({ message: Text }) }),
  z.object({ type: z.literal('error'), message: Text }),
]);

/** Data collected from the output of one `codex exec --json` run while the program runs. */
type CodexOutput = {
  threadId: string | undefined;
  /** The latest message. The last message of a run is the answer. */
  message: string | undefined;
  /** The usage since the start of the thread; undefined unless the turn completed. */
  total: AgentUsage | undefined;
  failure: string | undefined;
};

export function readCodexEvents() {
  const output: CodexOutput = {
    threadId: undefined,
    message: undefined,
    total: undefined,
    failure: undefined,
  };
  return {
    output,
    onLine: (value: object, show: ShowProgress): void => {
      const { data: line } = Line.safeParse(value);
      switch (line?.type) {
        case 'thread.started':
          output.threadId = line.thread_id;
          break;
        case 'item.started':
          showItem(line.item, show, false);
          break;
        case 'item.completed':
          if (line.item.type === 'agent_message') output.message = line.item.text;
          showItem(line.item, show, true);
          break;
        case 'turn.completed':
          output.total = toUsage(line.usage);
          break;
        case 'turn.failed':
          output.failure = line.error.message;
          break;
        case 'error':
          // Codex also prints an error for requests that it retries itself. `turn.failed` repeats the last error.
          show('trouble', line.message);
      }
    },
  };
}

function showItem(item: Item, show: ShowProgress, isOver: boolean): void {
  const step = describeItem(item, isOver);
  if (step !== undefined) show(...step);
}

function describeItem(item: Item, isOver: boolean): [StepKind, string] | undefined {
  switch (item.type) {
    case 'command_execution':
      return describeCommand(item, isOver);
    case 'file_change':
      return isOver
        ? ['edit', (item.changes ?? []).map(({ path, kind }) => `${kind} ${path}`).join(', ')]
        : undefined;
    case 'reasoning':
      return isOver ? ['think', item.text ?? ''] : undefined;
    case 'agent_message':
      return isOver ? ['say', describeMessage(item.text ?? '')] : undefined;
    case 'error':
      return isOver ? ['trouble', item.message ?? ''] : undefined;
    default:
      return isOver
        ? undefined
        : ['tool', [item.type, item.server, item.tool, item.query].filter(Boolean).join(' ')];
  }
}

/** Reports the end of a command only if the command failed. */
function describeCommand(
  { command, exit_code: code }: Item,
  isOver: boolean,
): [StepKind, string] | undefined {
  if (!isOver) return ['run', command ?? ''];
  return code === 0 ? undefined : ['run', `exit ${code ?? '?'}: ${command}`];
}

/** The last message is the answer as JSON, which is not for people. */
function describeMessage(text: string): string {
  const isAnswer = text.trimStart().startsWith('{') && parseJson(text) !== undefined;
  return isAnswer ? ANSWERED : text;
}
