import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createWalk, type Walk } from '../fleet/walk.js';

const VARIABLE = 'WALK_WEBHOOK';

/** Sends real notifications from a real poller to a real receiver. */
describe('notifications', () => {
  let walk: Walk;
  let server: Server;
  let texts: string[];
  let respond: (response: ServerResponse) => void;
  beforeEach(async () => {
    texts = [];
    respond = (response) => void response.end('ok');
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += String(chunk);
      });
      request.on('end', () => {
        texts.push(String(JSON.parse(body).text));
        respond(response);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    process.env[VARIABLE] = `http://127.0.0.1:${port}/services/a-long-secret-path`;
    walk = await createWalk({ limits: `[notify]\nwebhook_env = "${VARIABLE}"` });
  });
  afterEach(async () => {
    delete process.env[VARIABLE];
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    await walk.closeAndCheck();
  });

  const block = (): void =>
    walk.withState((state) => {
      state.openNotifyChannel('webhook');
      state.recordEvent({ type: 'token_rejected', payload: { code: 'token-rejected' } }, Date.now());
    });
  const about = (text: string): string[] => texts.filter((line) => line.includes(text));
  const cursor = () => walk.withState((state) => state.openNotifyChannel('webhook'));

  it('a webhook that hangs delays no work; afterwards each event arrives', async () => {
    respond = () => {};
    walk.startPoller();
    walk.startWorker();
    const asked = await walk.openIssue(
      'agent:bugfix',
      { blocked: 'Which login?' },
      'Login <!channel> broken',
    );
    await walk.until(() => expect(about(`#${asked}>`)).toHaveLength(1));
    const { issue, pr } = await walk.openPull('agent:bugfix', { files: { 'fix.txt': 'fixed\n' } });
    expect(walk.runOf(issue)?.status).toBe('awaiting_feedback');
    // The first send still hangs.
    expect(texts).toHaveLength(1);
    respond = (response) => void response.end('ok');
    await walk.until(() => expect(about(`alice/app#${pr}>`)).toHaveLength(1));
    expect(about(`#${asked}>`)).toHaveLength(2);
    expect(texts.join('\n')).not.toMatch(/Which login|<!channel/);
    expect(walk.outputs()).toContain('a notification was not sent');
    expect(walk.outputs()).not.toContain('a-long-secret-path');
  });

  it.each([
    ['poller:notify-marked', 1],
    ['poller:notify-sent', 2],
  ])('a poller killed at %s loses no notification', async (failpoint, sends) => {
    block();
    const poller = walk.startPoller(failpoint);
    await poller.exited;
    expect(cursor()).toMatchObject({ attempts: 1 });
    walk.startPoller();
    await walk.until(() => expect(cursor()).toMatchObject({ attempts: 0 }));
    // Nothing more arrives after the record.
    await new Promise((done) => setTimeout(done, 2_500));
    expect(about('rejects its token')).toHaveLength(sends);
  });
});
