import { createHmac } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type { Delivery } from '@mergexo/core/webhook';
import { serveWebhook, type WebhookServer } from './serve-webhook.js';

const SECRET = 'a-secret-of-the-webhook';
const OLD = 'the-old-secret-of-the-webhook';
const COMMENT = JSON.stringify({ action: 'created', repository: { id: 7 }, sender: { id: 11 } });
const sign = (body: string, secret = SECRET): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

describe('the webhook', () => {
  let server: WebhookServer;
  let deliveries: Delivery[];
  let rejections: string[];
  beforeEach(async () => {
    deliveries = [];
    rejections = [];
    server = await serveWebhook({
      ...{ host: '127.0.0.1', port: 0, secrets: [SECRET, OLD] },
      onDelivery: (delivery) => deliveries.push(delivery),
      onRejected: (reason) => rejections.push(reason),
    });
  });
  afterEach(() => server.close());

  const send = async (
    body: string,
    { path = '/webhook', method = 'POST', ...headers }: Record<string, string> = {},
  ): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        'x-github-event': 'issue_comment',
        'x-hub-signature-256': sign(body),
        ...headers,
      },
      ...(method === 'GET' ? {} : { body }),
    });
    await response.arrayBuffer();
    return response.status;
  };

  it('accepts a signed delivery and reports its repository and sender', async () => {
    expect(await send(COMMENT)).toBe(202);
    expect(deliveries).toEqual([{ kind: 'repo', repoId: 7, senderId: 11 }]);
  });

  it('accepts the old secret while it is being replaced', async () => {
    expect(await send(COMMENT, { 'x-hub-signature-256': sign(COMMENT, OLD) })).toBe(202);
    expect(deliveries).toHaveLength(1);
  });

  it('verifies the bytes that arrived, not the parsed payload', async () => {
    const spaced = COMMENT.replaceAll(':', ' : ');
    expect(await send(spaced, { 'x-hub-signature-256': sign(COMMENT) })).toBe(401);
    expect(await send(spaced)).toBe(202);
  });

  it.each([
    ['a foreign signature', { 'x-hub-signature-256': sign(COMMENT, 'somebody else') }, 401],
    ['a changed payload', { 'x-hub-signature-256': sign(`${COMMENT} `) }, 401],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['another path', { path: '/' }, 404],
    ['a GET request', { method: 'GET' }, 405],
  ])('rejects %s and does nothing', async (_name, change, status) => {
    expect(await send(COMMENT, change)).toBe(status);
    expect(deliveries).toEqual([]);
    expect(rejections).toHaveLength(status === 404 || status === 405 ? 0 : 1);
  });

  it('rejects a delivery without a signature before reading it', async () => {
    const response = await fetch(`http://127.0.0.1:${server.port}/webhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-github-event': 'push' },
      body: COMMENT,
    });
    expect(response.status).toBe(401);
    expect(rejections).toEqual([expect.stringContaining('MERGEXO_WEBHOOK_SECRET')]);
  });

  it('rejects a signed payload that names no repository', async () => {
    expect(await send('{"action":"created"}')).toBe(400);
    expect(deliveries).toEqual([]);
  });

  it('checks a payload that is too large to keep, and reports that something changed', async () => {
    const large = JSON.stringify({ repository: { id: 7 }, padding: 'x'.repeat(2_000_000) });
    expect(await send(large)).toBe(202);
    expect(await send(large, { 'x-hub-signature-256': sign(`${large}x`) })).toBe(401);
    expect(deliveries).toEqual([{ kind: 'unknown' }]);
  });

  it.each([
    ['announces', { 'content-length': String(26 * 1024 * 1024) }],
    ['sends in chunks', { 'transfer-encoding': 'chunked' }],
  ])('rejects a delivery that %s more than 25 MB', async (_name, headers) => {
    const status = await new Promise((resolve) => {
      const request = httpRequest({
        ...{ host: '127.0.0.1', port: server.port, path: '/webhook', method: 'POST' },
        headers: { 'content-type': 'application/json', 'x-hub-signature-256': sign(''), ...headers },
      });
      request.on('response', (response) => resolve(response.statusCode));
      // The server closes the connection, which can hide its response from a client that is still sending.
      request.on('error', () => resolve('closed'));
      const chunk = Buffer.alloc(1024 * 1024, 'x');
      let sent = 0;
      const write = (): void => {
        for (; sent < 26 && !request.destroyed; sent += 1)
          if (!request.write(chunk)) return void request.once('drain', write);
      };
      write();
    });
    expect([413, 'closed']).toContain(status);
    expect(rejections).toEqual([expect.stringContaining('larger than 25 MB')]);
    expect(deliveries).toEqual([]);
  });

  it('survives a client that leaves in the middle of a payload', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(
      `POST /webhook HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\nx-hub-signature-256: ${sign('')}\r\n\r\n{"repo`,
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    expect(await send(COMMENT)).toBe(202);
  });
});
