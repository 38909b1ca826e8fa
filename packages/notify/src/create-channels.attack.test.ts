import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import type { Notice } from '@mergexo/core/notices';
import { createRedact } from '@mergexo/core/text';
import { CANARIES, CANARY_ROWS, findLeak, useTemporaryDirectory } from '@mergexo/testkit';
import { createChannels, type NotifySettings } from './create-channels.js';

const aNotice = (words: string): Notice => ({
  ...{ id: 'event-1', kind: 'blocked', repo: 'ada/engine', number: 7, title: words },
  ...{ text: words, url: 'https://github.com/ada/engine/issues/7', at: 0 },
});

const open = (more: Partial<NotifySettings>) => {
  const env = { PATH: process.env['PATH'] };
  const redact = createRedact(Object.values(CANARIES));
  return createChannels({ webhook: undefined, command: undefined, desktop: false, env, redact, ...more });
};

describe('a message to a webhook', () => {
  let server: Server;
  let received: string[];
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      received.push(await readText(request));
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });

  it.each(CANARY_ROWS)('contains no trace of $name $encoding', async ({ secret, text }) => {
    received = [];
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const [channel] = open({ webhook: { url: `http://127.0.0.1:${port}/` } });
    const notice = aNotice(`it says ${text} here`);
    await channel?.send([notice]);
    await channel?.send([notice, notice]);
    expect(received).toHaveLength(2);
    expect(findLeak(received.join('\n'), { secret, text })).toBeUndefined();
    expect(received.every((body) => body.includes('[redacted]'))).toBe(true);
  });
});

/** Tests only one encoding of each secret, because every test starts a process. */
const SPOKEN = Object.keys(CANARIES).flatMap((name, at) => {
  const rows = CANARY_ROWS.filter((row) => row.name === name && !row.text.includes('\n'));
  return rows[(at * 5) % rows.length] ?? [];
});

describe('a message to a program, and the reason of its failure', () => {
  const pathTo = useTemporaryDirectory();

  it.each(SPOKEN)('contain no trace of $name $encoding', async ({ secret, text }) => {
    const [program, hidden, got] = [pathTo('notify'), pathTo('hidden'), pathTo('got')];
    writeFileSync(hidden, `it says ${text} here`);
    writeFileSync(program, `#!/bin/sh\ncat >"${got}"\ncat "${hidden}" >&2\nexit 1\n`, { mode: 0o700 });
    const [channel] = open({ command: [program] });
    const sent = await channel?.send([aNotice(`it says ${text} here`)]);
    expect(sent?.kind).toBe('failed');
    for (const shown of [JSON.stringify(sent), readFileSync(got, 'utf8')]) {
      expect(shown).toContain('[redacted]');
      expect(findLeak(shown, { secret, text })).toBeUndefined();
    }
  });
});
