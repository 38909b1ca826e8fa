import { randomUUID } from 'node:crypto';
import type { FakeModel, ModelStep } from './model-step.js';
import { sendEvents, serveModel } from './serve-model.js';

const USAGE = { input_tokens: 100, output_tokens: 20, total_tokens: 120 };

/** Serves the subset of the Responses API that Codex uses. */
export function serveResponses(): Promise<FakeModel> {
  return serveModel({
    isTurn: ({ method, path }) => method === 'POST' && path === '/v1/responses',
    answer: (step, _request, response) => {
      const id = `resp_${randomUUID()}`;
      sendEvents(response, [
        { type: 'response.created', response: { id } },
        { type: 'response.output_item.done', output_index: 0, item: buildItem(step) },
        { type: 'response.completed', response: { id, usage: USAGE } },
      ]);
    },
  });
}

function buildItem(step: ModelStep): object {
  const call = { id: `item_${randomUUID()}`, call_id: `call_${randomUUID()}` };
  const use = (name: string, input: object) => ({
    ...call,
    type: 'function_call',
    name,
    arguments: JSON.stringify(input),
  });
  if ('run' in step) return use('exec_command', { cmd: step.run });
  if ('view' in step) return use('view_image', { path: step.view });
  if ('write' in step) {
    const { path, text } = step.write;
    const added = text.split('\n').map((line) => `+${line}`);
    const input = ['*** Begin Patch', `*** Add File: ${path}`, ...added, '*** End Patch', ''].join('\n');
    return { ...call, type: 'custom_tool_call', name: 'apply_patch', input };
  }
  const text = 'freeText' in step ? step.freeText : JSON.stringify('answer' in step ? step.answer : null);
  return {
    id: call.id,
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
}
