import { randomUUID } from 'node:crypto';
import type { FakeModel, ModelRequest, ModelStep } from './model-step.js';
import { sendEvents, serveModel } from './serve-model.js';

/** Serves the subset of the Messages API that Claude Code uses. */
export function serveMessages(): Promise<FakeModel> {
  return serveModel({
    isTurn: ({ method, path }) => method === 'POST' && path === '/v1/messages',
    answer: (step, request, response) => {
      const block = buildBlock(step);
      const isTool = block.type === 'tool_use';
      const message = {
        id: `msg_${randomUUID()}`,
        type: 'message',
        role: 'assistant',
        model: modelOf(request),
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: 100,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          output_tokens: 1,
        },
      };
      const start = isTool ? { ...block, input: {} } : { ...block, text: '' };
      const delta = isTool
        ? { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
        : { type: 'text_delta', text: block.text };
      sendEvents(response, [
        { type: 'message_start', message },
        { type: 'content_block_start', index: 0, content_block: start },
        { type: 'content_block_delta', index: 0, delta },
        { type: 'content_block_stop', index: 0 },
        {
          type: 'message_delta',
          delta: { stop_reason: isTool ? 'tool_use' : 'end_turn', stop_sequence: null },
          usage: { output_tokens: 20 },
        },
        { type: 'message_stop' },
      ]);
    },
  });
}

type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: Readonly<Record<string, unknown>> };

function buildBlock(step: ModelStep): Block {
  const use = (name: string, input: Readonly<Record<string, unknown>>): Block => ({
    type: 'tool_use',
    id: `toolu_${randomUUID().replaceAll('-', '')}`,
    name,
    input,
  });
  if ('run' in step) return use('Bash', { command: step.run, description: 'run it' });
  if ('view' in step) return use('Read', { file_path: step.view });
  if ('write' in step) return use('Write', { file_path: step.write.path, content: step.write.text });
  if ('answer' in step) return use('StructuredOutput', Object(step.answer));
  return { type: 'text', text: 'freeText' in step ? step.freeText : '' };
}

function modelOf({ text }: ModelRequest): unknown {
  return JSON.parse(text).model;
}
