import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { createWalk, REPO, type Walk } from '../fleet/walk.js';

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(300_000, 'pixels')]);
const JPEG = Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(3_000_000, 'photo')]);
const LOG = Buffer.from('12:00 it broke\n');
const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('uploaded files, end to end', () => {
  let walk: Walk;
  let other: Server;
  let otherUrl: string;
  let reached: IncomingMessage[];
  beforeEach(async () => {
    walk = await createWalk({ sandbox: 'auto' });
    reached = [];
    other = createServer((request, response) => {
      reached.push(request);
      response.end(PNG);
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    otherUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/x.png`;
  });
  afterEach(async () => {
    other.closeAllConnections();
    await new Promise((resolve) => other.close(resolve));
    await walk.closeAndCheck();
  });

  it('reach the agent read-only, are removed after the turn, and the others are named in the prompt', async () => {
    const { upload } = walk.twin.control;
    const bad = [
      upload({ bytes: Buffer.concat([PNG, Buffer.alloc(11_000_000)]) }),
      upload({ bytes: Buffer.from('<html></html>'), name: 'x.png' }),
      upload({ bytes: PNG, redirect: otherUrl }),
    ];
    const see = [
      `![shot](${upload({ bytes: PNG })})`,
      `![private](${upload({ bytes: JPEG, isPrivate: true })})`,
      `[log](${upload({ bytes: LOG, name: '../../etc/server.log', isPrivate: true })})`,
      ...bad,
      `![foreign](${otherUrl})`,
    ];
    walk.startPoller();
    walk.startWorker();
    const { issue, pr } = await walk.openPull('agent:bugfix', { see });
    const [call] = walk.agentRequests(issue);
    expect(
      call?.attachments.map(({ path, mediaType, sha256, writable }) => [
        basename(path),
        mediaType,
        sha256,
        writable,
      ]),
    ).toEqual([
      ['1.png', 'image/png', digest(PNG), false],
      ['2.jpg', 'image/jpeg', digest(JPEG), false],
      ['3.log', 'text/plain', digest(LOG), false],
    ]);
    const root = join(walk.base, 'attachments');
    expect(call?.attachments.map(({ path }) => dirname(dirname(path)))).toEqual([root, root, root]);
    expect(readdirSync(root)).toEqual([]);
    expect(call?.missing).toEqual([
      expect.stringContaining(`${bad[0]}, from issue #${issue} by alice: the file has more than 5 MB`),
      expect.stringContaining('not a PNG, JPEG, GIF or WebP image'),
      expect.stringContaining('redirected to a server that MergeXO does not trust'),
      expect.stringContaining(`${otherUrl}, from issue #${issue} by alice: MergeXO downloads only`),
    ]);
    expect(reached).toEqual([]);

    await walk.alice.comment(REPO, pr, `Now it looks like this: ${upload({ bytes: JPEG })}`);
    await walk.until(() => expect(walk.agentCalls(issue)).toBe(2));
    const attachments = walk.agentRequests(issue)[1]?.attachments ?? [];
    expect(attachments.map(({ source }) => source.replace(/\d+/, 'N'))).toEqual([
      'comment N by alice',
      ...Array.from({ length: 3 }, () => 'issue #N by alice'),
    ]);
    expect(attachments[0]?.sha256).toBe(digest(JPEG));
  });

  it('reach the agent again after the worker or the poller was killed', async () => {
    const see = walk.twin.control.upload({ bytes: PNG, isPrivate: true });
    const poller = walk.startPoller();
    const issue = await walk.openIssue('agent:bugfix', { see });
    const killed = walk.startWorker('worker:agent-ended');
    await killed.exited;
    poller.kill('SIGKILL');
    await poller.exited;
    walk.startPoller();
    walk.startWorker();
    await walk.until(() => expect(walk.agentCalls(issue)).toBe(2));
    const calls = walk.agentRequests(issue);
    expect(calls.map(({ attempt, attachments }) => [attempt, attachments[0]?.sha256])).toEqual([
      [1, digest(PNG)],
      [2, digest(PNG)],
    ]);
    await walk.until(() => expect(existsSync(dirname(calls[1]?.attachments[0]?.path ?? '/'))).toBe(false));
  });
});
