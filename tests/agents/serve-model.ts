import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { FakeModel, ModelRequest, ModelStep } from './model-step.js';

export type Protocol = {
  /** True if a request asks the model for its next step. Other requests get an empty response. */
  isTurn(request: ModelRequest): boolean;
  answer(step: ModelStep, request: ModelRequest, response: ServerResponse): void;
};

/** Serves a scripted model on loopback, and records every request. */
export async function serveModel({ isTurn, answer }: Protocol): Promise<FakeModel> {
  const requests: ModelRequest[] = [];
  let steps: ModelStep[] = [];
  const server = createServer(async (incoming, response) => {
    const request = await read(incoming);
    requests.push(request);
    if (!isTurn(request)) return void response.writeHead(404).end('{}');
    const [step = { status: 500 }] = steps.length > 1 ? steps.splice(0, 1) : steps;
    if ('hang' in step) return;
    if ('status' in step) {
      const headers = { 'content-type': 'application/json', ...step.headers };
      return void response.writeHead(step.status, headers).end(JSON.stringify(step.body ?? {}));
    }
    answer(step, request, response);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = Object(server.address());
  return {
    port,
    requests,
    play: (...next) => {
      steps = [...next];
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function read(incoming: IncomingMessage): Promise<ModelRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const { method = '', url = '', headers } = incoming;
  return { method, path: url.split('?')[0] ?? '', headers, text: Buffer.concat(chunks).toString('utf8') };
}

/** Sends all server-sent events at once. */
export function sendEvents(
  response: ServerResponse,
  events: readonly { type: string; [name: string]: unknown }[],
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}
