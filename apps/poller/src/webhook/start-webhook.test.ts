import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { readSettings, type Settings } from '@mergexo/config';
import { Failure } from '@mergexo/core/basics';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { startWebhook } from './start-webhook.js';

const SECRET = 'a-secret-of-the-webhook';
const ADA = 1;
const ROBOT = 2;

describe('the webhook of the poller', () => {
  const pathTo = useTemporaryDirectory();
  let cleanups: (() => unknown)[];
  let nudged: number[];
  let wakeUps: number;
  let deliveries: number;
  let logged: { port?: unknown; reason?: unknown }[];
  let reports: unknown[];
  beforeEach(() => {
    cleanups = [];
    nudged = [];
    wakeUps = 0;
    deliveries = 0;
    logged = [];
    reports = [];
  });
  afterEach(async () => {
    for (const cleanup of cleanups) await cleanup();
  });

  const settingsFor = (
    listen: string,
    env: Record<string, string> = { MERGEXO_WEBHOOK_SECRET: SECRET },
  ): Settings => {
    const repos = ['engine', 'other'].map(
      (name) =>
        `[repo.${name}]\nowner = "ada"\nname = "${name}"\nallowed_users = ["${name === 'engine' ? 'ada' : 'Robot'}"]\n`,
    );
    writeFileSync(pathTo('mergexo.toml'), `[webhook]\nlisten = "${listen}"\n${repos.join('')}`);
    return readSettings({ configPath: pathTo('mergexo.toml'), env, homeDir: pathTo() });
  };
  const start = async (settings: Settings): Promise<number> => {
    const note = (fields: object): void => void logged.push(fields);
    const state = await startWebhook(
      settings,
      {
        log: { debug: note, info: note, warn: note, error: note },
        nudges: { note: (id) => void nudged.push(id) },
        rhythm: {
          noteDelivery: () => {
            deliveries += 1;
          },
          isDelivering: () => deliveries > 0,
        },
        link: {
          connected: () => ({
            viewer: { id: ROBOT, login: 'robot', type: 'User', ids: new Set([ROBOT]) },
            repos: settings.config.repos.map((config, index) => ({ id: 7 + index, config })),
          }),
        },
        nudge: () => {
          wakeUps += 1;
        },
      },
      cleanups,
    );
    reports.push(state?.());
    return Number(logged.find(({ port }) => port !== undefined)?.port ?? 0);
  };
  const send = async (
    port: number,
    payload: object,
    event = 'issue_comment',
    secret = SECRET,
  ): Promise<void> => {
    const body = JSON.stringify(payload);
    const response = await fetch(`http://127.0.0.1:${port}/webhook`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-github-event': event,
        'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      },
      body,
    });
    await response.arrayBuffer();
  };

  it('polls the repository that a delivery names', async () => {
    const port = await start(settingsFor('127.0.0.1:0'));
    await send(port, { repository: { id: 8 }, sender: { id: ADA } });
    expect([nudged, wakeUps, deliveries]).toEqual([[8], 1, 1]);
  });

  it.each([
    ['its own post', { repository: { id: 7 }, sender: { id: ROBOT } }, 'issue_comment'],
    ['a repository that is not configured', { repository: { id: 99 }, sender: { id: ADA } }, 'issue_comment'],
    ['an event that it does not read', { repository: { id: 7 }, sender: { id: ADA } }, 'star'],
    ["GitHub's test", { zen: 'x' }, 'ping'],
  ])('counts a delivery about %s as a sign of life, but does not poll', async (_name, payload, event) => {
    const port = await start(settingsFor('127.0.0.1:0'));
    await send(port, payload, event);
    expect([nudged, wakeUps, deliveries]).toEqual([[], 0, 1]);
  });

  it('polls for its own login if that login is also a person whose comments count', async () => {
    const port = await start(settingsFor('127.0.0.1:0'));
    await send(port, { repository: { id: 8 }, sender: { id: ROBOT } });
    expect(nudged).toEqual([8]);
  });

  it('polls every repository after a payload that was too large to read', async () => {
    const port = await start(settingsFor('127.0.0.1:0'));
    await send(port, { repository: { id: 7 }, padding: 'x'.repeat(1_100_000) });
    expect([nudged, wakeUps]).toEqual([[7, 8], 1]);
  });

  it('logs rejected deliveries once a minute, and takes nothing from them', async () => {
    const port = await start(settingsFor('127.0.0.1:0'));
    for (let i = 0; i < 5; i += 1) await send(port, { repository: { id: 7 } }, 'push', 'another secret');
    expect([nudged, wakeUps, deliveries]).toEqual([[], 0, 0]);
    expect(logged.filter(({ reason }) => reason !== undefined)).toHaveLength(1);
  });

  it('reports whether deliveries arrive', async () => {
    await start(settingsFor('127.0.0.1:0'));
    expect(reports).toEqual(['quiet']);
  });

  it('reports a port that is in use, and lets the poller continue', async () => {
    const port = await start(settingsFor('127.0.0.1:0'));
    await start(settingsFor(`127.0.0.1:${port}`));
    const [failure] = reports.slice(-1);
    expect(failure).toBeInstanceOf(Failure);
    expect(String(failure)).toMatch(/cannot listen on 127\.0\.0\.1:\d+ \(webhook\.listen\).*EADDRINUSE/);
  });

  it('refuses to start without a secret', async () => {
    await expect(start(settingsFor('127.0.0.1:0', {}))).rejects.toThrow(/MERGEXO_WEBHOOK_SECRET.*missing/s);
  });
});
