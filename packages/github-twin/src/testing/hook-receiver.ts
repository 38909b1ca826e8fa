import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { at } from './json-fields.js';
import { cleanUp } from './test-twin.js';

export type Received = { headers: IncomingHttpHeaders; payload: unknown; signed: boolean };

/** Starts a server that keeps every delivery. It stops after the test. */
export async function startReceiver(secret: string) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
      const { headers } = request;
      const signed = headers['x-hub-signature-256'] === signature;
      received.push({ headers, payload: JSON.parse(body.toString()), signed });
      response.end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanUp(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    secret,
    received,
    /** The event and action of each delivery, such as `issues opened`, or the event alone. */
    events: () =>
      received.map(({ headers, payload }) =>
        [headers['x-github-event'], at(payload, 'action')].filter((part) => part !== undefined).join(' '),
      ),
  };
}
