import { createHmac } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createNudges } from './nudges.js';
import { serveWebhook, type WebhookServer } from './serve-webhook.js';

const SECRET = 'a-secret-of-the-webhook';
const BODY = JSON.stringify({ action: 'created', repository: { id: 7 }, sender: { id: 11 } });
const sign = (body: string, secret = SECRET): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
const MEGABYTE = 1024 * 1024;

describe('an attack on the webhook', () => {
  let server: WebhookServer;
  let accepted: number;
  let rejected: number;
  let polls: number;
  let agent: Agent;
  beforeEach(async () => {
    [accepted, rejected, polls] = [0, 0, 0];
    const nudges = createNudges(() => performance.now());
    agent = new Agent({ keepAlive: true, maxSockets: 8 });
    server = await serveWebhook({
      ...{ host: '127.0.0.1', port: 0, secrets: [SECRET] },
      onDelivery: () => {
        accepted += 1;
        nudges.note(7);
        for (const id of nudges.take()) {
          polls += 1;
          nudges.settle(id, true);
        }
      },
      onRejected: () => {
        rejected += 1;
      },
    });
  });
  afterEach(async () => {
    agent.destroy();
    await server.close();
  });

  const send = (body: string | Buffer, signature: string): Promise<number | undefined> =>
    new Promise((resolve) => {
      const headers = {
        'content-type': 'application/json',
        'x-github-event': 'issue_comment',
        'x-hub-signature-256': signature,
      };
      const options = {
        host: '127.0.0.1',
        port: server.port,
        path: '/webhook',
        method: 'POST',
        agent,
        headers,
      };
      const request = httpRequest(options, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode));
      });
      request.on('error', () => resolve(undefined));
      request.end(body);
    });
  const flood = async (count: number, attempt: () => Promise<unknown>): Promise<void> => {
    for (let sent = 0; sent < count; sent += 8) await Promise.all(Array.from({ length: 8 }, attempt));
  };
  const usedMegabytes = (): number => process.memoryUsage().rss / MEGABYTE;

  it('with 8,000 forged deliveries causes no poll and leaves nothing in memory', async () => {
    const forged = sign(BODY, 'another secret of a webhook');
    await flood(1_000, () => send(BODY, forged));
    const before = usedMegabytes();
    await flood(7_000, () => send(BODY, forged));
    expect([accepted, rejected, polls]).toEqual([0, 8_000, 0]);
    expect(usedMegabytes() - before).toBeLessThan(100);
    expect(await send(BODY, sign(BODY))).toBe(202);
  });

  it('with 2,000 copies of a real delivery causes at most one poll per second', async () => {
    const startedAt = performance.now();
    await flood(2_000, () => send(BODY, sign(BODY)));
    const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
    expect(accepted).toBe(2_000);
    expect(polls).toBeLessThanOrEqual(seconds + 1);
  });

  it('with 16 payloads of 20 MB keeps none of them in memory', async () => {
    const large = Buffer.alloc(20 * MEGABYTE, 'x');
    await send(large, sign('x'));
    const before = usedMegabytes();
    await flood(16, () => send(large, sign('x')));
    expect([accepted, polls]).toEqual([0, 0]);
    expect(usedMegabytes() - before).toBeLessThan(150);
    expect(await send(BODY, sign(BODY))).toBe(202);
  });

  it('with 200 idle connections blocks real deliveries only until the connections time out', async () => {
    const sockets: Socket[] = Array.from({ length: 200 }, () => {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write('POST /webhook HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n');
      return socket;
    });
    try {
      let status: number | undefined;
      for (let tries = 0; tries < 60 && status !== 202; tries += 1) {
        status = await send(BODY, sign(BODY));
        if (status !== 202) await new Promise((done) => setTimeout(done, 500));
      }
      expect(status).toBe(202);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });
});
