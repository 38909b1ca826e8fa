import { type AgentStep, buildUsageStep } from '@mergexo/core/agent';
import { eventually } from '@mergexo/testkit';
import {
  addPull,
  addRepository,
  addRunningTurn,
  ask,
  createDashboardStage,
  type DashboardStage,
  HOSTILE,
} from '../fleet/dashboard-stage.js';
import { readEvents, type StreamEvent } from '../fleet/read-events.js';

const PASSWORD = 'a password of the dashboard';
const MAX_STREAMS = 50;

describe('the page of a turn', () => {
  let stage: DashboardStage;
  let base: string;
  let turnKey: string;
  let path: string;
  let first = 0;
  const add = (...texts: string[]): void => {
    const steps: AgentStep[] = texts.map((text) => ({ kind: 'say', text }));
    stage.edit((state) => state.recordAgentSteps({ turnKey, attempt: 1, first, steps }, Date.now()));
    first += steps.length;
  };
  const isStep = (text: string) => (event: StreamEvent) =>
    event.event === 'step' && String(event.data).includes(text);
  beforeAll(async () => {
    stage = await createDashboardStage();
    stage.edit((state) => {
      addRepository(state);
      turnKey = addRunningTurn(state, addPull(state, 53, 13, HOSTILE));
    });
    path = `/turns/${turnKey}`;
    base = await stage.startDashboard({ GITHUB_TOKEN: 'canary-of-the-dashboard' });
  });
  afterAll(() => stage.close());

  it('shows hostile steps as text, without known secrets, on the page and in the stream', async () => {
    add(HOSTILE, 'the token canary-of-the-dashboard');
    const { status, body } = await ask(base, path);
    expect(status).toBe(200);
    const events = await readEvents(`${base.slice(0, -1)}${path}/events`, isStep('the token'));
    for (const text of [body, JSON.stringify(events.map(({ data }) => data))]) {
      expect(text).toContain('the token [redacted]');
      expect(text).toContain('&lt;script&gt;document.title');
      expect(text).not.toMatch(/canary-of|<script>document|<img(?! src="\/assets)|\u202e/);
    }
    expect(body).toContain('<noscript><meta http-equiv="refresh" content="10"></noscript>');
  });

  it('continues a stream after the last step that the browser has', async () => {
    add('one', 'two');
    const url = `${base.slice(0, -1)}${path}/events`;
    const all = await readEvents(url, isStep('two'));
    const ids = all.filter(({ event }) => event === 'step').map(({ id }) => id);
    const seen = { 'last-event-id': ids.at(-2) ?? '' };
    const rest = await readEvents(`${url}?after=0`, isStep('two'), seen);
    expect(rest.filter(({ event }) => event === 'step').map(({ id }) => id)).toEqual(ids.slice(-1));
    const fresh = readEvents(`${url}?after=${ids.at(-1)}`, isStep('three'));
    add('three');
    expect((await fresh).filter(({ event }) => event === 'step')).toHaveLength(1);
  });

  it('shows the tokens and the cost of a running turn as they grow, and no cost that nobody knows', async () => {
    const show = (inputTokens: number, costUsd: number): void => {
      const usage = {
        inputTokens,
        cachedTokens: 800,
        outputTokens: 90,
        costUsd,
        adapter: 'codex',
        model: HOSTILE,
      };
      stage.edit((state) =>
        state.recordAgentSteps({ turnKey, attempt: 1, first, steps: [buildUsageStep(usage)] }, Date.now()),
      );
      first += 1;
    };
    const textOf = (data: unknown): string =>
      String(data)
        .replace(/<[^>]+>/g, ' ')
        .replace(/\s+/g, ' ');
    show(1_000, 0);
    const { body } = await ask(base, path);
    expect(textOf(body)).toMatch(
      /Cost unknown Agent codex &quot;&gt;&lt;script&gt;.* Tokens 1k in \(800 cached\), 90 out/,
    );
    const changed = readEvents(`${base.slice(0, -1)}${path}/events?after=${first}`, ({ event, data }) => {
      return event === 'facts' && textOf(data).includes('Tokens 250k in');
    });
    show(250_000, 0.75);
    expect(textOf((await changed).at(-1)?.data)).toContain('Cost $0.75');
  });

  it.each([
    ['an unknown turn', `/turns/${'f'.repeat(64)}`],
    ['the stream of an unknown turn', `/turns/${'f'.repeat(64)}/events`],
    ['a key that is too short', '/turns/abcdef01'],
    ['a key with other characters', `/turns/${'%2e%2e%2f'.repeat(8)}`],
  ])('does not exist for %s', async (_name, unknown) => {
    expect((await ask(base, unknown)).status).toBe(404);
  });

  it('answers a HEAD request for the stream at once', async () => {
    expect(await ask(base, `${path}/events`, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
  });

  it('has the same protection as other pages', async () => {
    const guarded = await stage.startDashboard({ MERGEXO_DASHBOARD_PASSWORD: PASSWORD });
    for (const one of [path, `${path}/events`]) {
      expect((await ask(guarded, one)).status).toBe(401);
      expect((await ask(base, one, { headers: { host: 'evil.example' } })).status).toBe(403);
      expect((await ask(base, one, { method: 'POST', form: {} })).status).toBe(403);
    }
  });

  it('refuses more streams than it can serve, and serves new ones when others close', async () => {
    const stop = new AbortController();
    const url = `${base.slice(0, -1)}${path}/events`;
    const open = (): Promise<Response> => fetch(url, { signal: stop.signal });
    const streams = await Promise.all(Array.from({ length: MAX_STREAMS }, open));
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    const refused = await open();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
    expect(await refused.text()).toContain('too many pages');
    expect((await ask(base, path)).status).toBe(200);
    stop.abort();
    await eventually(async () => {
      const status = (await readEvents(`${url}?after=0`, isStep('one')).catch(() => [])).length;
      expect(status).toBeGreaterThan(0);
    });
  });

  it('ends the stream when the turn has ended', async () => {
    stage.edit((state) => {
      const turn = state.readTurn(turnKey);
      if (turn) state.saveTurn({ ...turn, state: 'done', endedAt: Date.now() - 60_000 });
    });
    const events = await readEvents(`${base.slice(0, -1)}${path}/events`, ({ event }) => event === 'end');
    expect(events.at(-1)).toMatchObject({ event: 'end' });
    expect(events.find(({ event }) => event === 'facts')?.data).toContain('Ended');
  });
});
