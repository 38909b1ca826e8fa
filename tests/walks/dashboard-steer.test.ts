import type { Run } from '@mergexo/state';
import { aTurn, type Program } from '@mergexo/testkit';
import {
  addHeartbeat,
  addPull,
  addRepository,
  addRun,
  addRunningTurn,
  ask,
  createDashboardStage,
  type DashboardStage,
  HOSTILE,
  loadForm,
  OLD,
} from '../fleet/dashboard-stage.js';

describe('an operator at the dashboard', () => {
  let stage: DashboardStage;
  let base: string;
  let poller: Program;
  let turnKey: string;
  beforeAll(async () => {
    stage = await createDashboardStage();
    turnKey = stage.edit((state) => {
      addRepository(state);
      addPull(state, 60, 70, 'Idle');
      addHeartbeat(state);
      addRunningTurn(state, addPull(state, 62, 72, 'In review'), 'review');
      const rejected = { repoId: 1, prNumber: 73, headSha: OLD, fixCycle: 0, turnKey: null };
      addPull(state, 63, 73, 'Rejected');
      state.markReviewRoundEnded(state.recordReviewRound(rejected, 1).id, 'failed', 2);
      return addRunningTurn(state, addPull(state, 61, 71, `In work ${HOSTILE}`));
    });
    base = await stage.startDashboard();
    poller = await stage.fleet.startPoller();
  });
  afterAll(() => stage?.close());

  const listPauses = () => stage.edit((state) => state.listPauses());
  const countEvents = (issue: number, type: string): number =>
    stage.edit((state) => state.listEventsOfIssue(1, issue).filter((event) => event.type === type).length);
  const textOf = (html: string): string => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
  const submit = async (path: string, fields: Record<string, string> = {}) => {
    const { form, headers } = await loadForm(base, path);
    const answer = await ask(base, path, { form: { ...form, ...fields }, headers });
    return { status: answer.status, text: textOf(answer.body) };
  };

  it.each([
    ['all work', '', { repoId: 0, issueNumber: 0 }],
    ['a repository', '/o/n', { repoId: 1, issueNumber: 0 }],
    ['an issue', '/o/n/60', { repoId: 1, issueNumber: 60 }],
    ['an issue, by the number of its pull request', '/o/n/70', { repoId: 1, issueNumber: 60 }],
  ])('pauses %s with a reason, sees the banner everywhere, and resumes', async (_what, scope, pause) => {
    const form = textOf((await ask(base, `/steer/pause${scope}`)).body);
    expect(form).toContain('MergeXO starts no new turn');
    const paused = await submit(`/steer/pause${scope}`, { reason: ` release ${HOSTILE} ` });
    expect(paused).toMatchObject({ status: 200, text: expect.stringContaining('Paused ') });
    expect(listPauses()).toMatchObject([
      { ...pause, by: 'dashboard', reason: expect.stringContaining('release "><script>') },
    ]);
    for (const path of ['/', '/costs', '/issues/o/n/61', '/steer/cancel/o/n/61'])
      expect(textOf((await ask(base, path)).body)).toMatch(
        /is paused by dashboard since [\d -]+:\d\d:\d\dZ : release &quot;/,
      );
    expect((await ask(base, `/steer/pause${scope}`)).status).toBe(404);
    expect(textOf((await ask(base, `/steer/resume${scope}`)).body)).toContain('Paused by dashboard since');
    expect((await submit(`/steer/resume${scope}`)).text).toContain('Resumed ');
    expect(listPauses()).toEqual([]);
    expect((await ask(base, `/steer/resume${scope}`)).status).toBe(404);
  });

  it('submits the same form twice, and the poller pauses once', async () => {
    const { form, headers } = await loadForm(base, '/steer/pause/o/n/60');
    const before = countEvents(60, 'work_paused');
    for (const _ of [1, 2])
      expect((await ask(base, '/steer/pause/o/n/60', { form, headers })).status).toBe(200);
    expect(countEvents(60, 'work_paused')).toBe(before + 1);
    await submit('/steer/resume/o/n/60');
  });

  it.each([
    '/steer/cancel',
    '/steer/skip-review',
    '/steer/skip-review/o/n',
    '/steer/skip-review/o/n/60',
    '/steer/skip-review/o/n/999',
    '/steer/cancel/o/n',
    '/steer/explode/o/n/60',
    '/steer/pause/o/unknown',
    '/steer/pause/o/n/-1',
    '/steer/pause/../n/1',
    '/steer/cancel/o/n/60',
    '/steer/resume/o/n',
  ])('finds no form at %s', async (path) => {
    expect((await ask(base, path)).status).toBe(404);
  });

  it('is refused with the token of another order, another scope, another session or a long reason', async () => {
    const { form, headers } = await loadForm(base, '/steer/pause/o/n/60');
    const other = await loadForm(base, '/steer/pause/o/n/60');
    const post = async (path: string, more: Parameters<typeof ask>[2] = {}) =>
      (await ask(base, path, { form, headers, ...more })).status;
    expect(await post('/steer/cancel/o/n/60')).toBe(403);
    expect(await post('/steer/pause/o/n/61')).toBe(403);
    expect(await post('/steer/pause/o/n')).toBe(403);
    expect(await post('/steer/pause/o/n/60', { headers: other.headers })).toBe(403);
    expect(await post('/steer/pause/o/n/60', { headers: {} })).toBe(403);
    expect(await post('/steer/pause/o/n/60', { form: { ...form, token: '0'.repeat(64) } })).toBe(403);
    expect(await post('/steer/pause/o/n/60', { form: { ...form, reason: 'x'.repeat(301) } })).toBe(400);
    expect(
      await post('/steer/pause/o/n/60', { headers: { ...headers, origin: 'http://evil.example' } }),
    ).toBe(403);
    expect(listPauses()).toEqual([]);
  });

  it('sees that the poller did not respond, and nothing changes', async () => {
    poller.kill('SIGSTOP');
    const answer = await submit('/steer/pause/o/n/60');
    poller.kill('SIGCONT');
    expect(answer).toMatchObject({ status: 503, text: expect.stringContaining('The request expired') });
    // The next request shows that the poller has skipped the expired one.
    await submit('/steer/pause/o/n/61');
    expect(listPauses().map(({ issueNumber }) => issueNumber)).toEqual([61]);
    await submit('/steer/resume/o/n/61');
  });

  /** Returns the list of the home page that shows the issue. */
  const findList = async (issue: number): Promise<string | undefined> => {
    const { body } = await ask(base, '/');
    const lists = body.split('<section id="').slice(1);
    return lists.find((list) => list.includes(`/issues/o/n/${issue}"`));
  };

  it('starts a scheduled retry now, by the number of the issue or of its pull request', async () => {
    for (const [issue, pr] of [
      [82, 92],
      [83, 93],
    ] as const)
      stage.edit((state) => {
        const { id: runId } = addPull(state, issue, pr, 'Flaky');
        const waiting = {
          state: 'queued',
          heartbeatAt: Date.now(),
          notBefore: Date.now() + 3_600_000,
        } as const;
        const about = { runId, issueNumber: issue, prNumber: pr, turnKey: String(issue).padEnd(64, 'f') };
        state.recordTurn(aTurn({ ...about, ...waiting, reason: 'the agent ended with 1' }), {});
      });
    expect(await findList(82)).toMatch(/^queue.*href="\/unblock\/o\/n\/82">Retry now…/s);
    expect((await ask(base, '/issues/o/n/82')).body).toContain('href="/unblock/o/n/82">Retry now…');
    for (const number of [82, 93]) {
      const page = textOf((await ask(base, `/unblock/o/n/${number}`)).body);
      expect(page).toMatch(/The last attempt failed, and MergeXO retries at .*: the agent ended with 1/);
      expect((await submit(`/unblock/o/n/${number}`)).text).toContain(`o/n#${number} resumed`);
    }
    for (const issue of [82, 83])
      expect(stage.edit((state) => state.readTurn(String(issue).padEnd(64, 'f')))).toMatchObject({
        notBefore: null,
      });
    expect((await ask(base, '/unblock/o/n/82')).status).toBe(404);
    expect(await findList(82)).not.toContain('Retry now…');
  });

  it('lifts a limit of a run once, and shows a daily limit in the queue', async () => {
    const park = (issue: number, blockedKind: Run['blockedKind']) =>
      stage.edit((state) => {
        const run = addRun(state, issue, 'Large');
        state.saveRun({ ...run, status: 'ready', blockedKind, error: `9 of 9 ${HOSTILE}` }, Date.now());
      });
    park(64, 'max_turns_per_run');
    park(65, 'max_cost_usd_per_day');
    expect(await findList(64)).toMatch(/^attention.*Over a limit.*href="\/unblock\/o\/n\/64">Retry…/s);
    expect(await findList(65)).toMatch(/^queue.*00:00 UTC.*href="\/unblock\/o\/n\/65">Retry now…/s);
    for (const issue of [64, 65]) {
      const { body } = await ask(base, `/unblock/o/n/${issue}`);
      expect(textOf(body)).toContain('starts counting its usage from zero');
      expect(body).not.toContain('<script>document.title');
      const { text } = await submit(`/unblock/o/n/${issue}`, { reason: ` worth it ${HOSTILE}` });
      expect(text).toContain(`o/n#${issue} resumed`);
      const page = textOf((await ask(base, `/issues/o/n/${issue}`)).body);
      expect(page).toMatch(/Command received.* reason worth it &quot;/);
      expect(stage.edit((state) => state.listRunsOfIssue(1, issue)[0])).toMatchObject({
        status: 'ready',
        blockedKind: null,
        clearedAt: expect.any(Number),
      });
      expect((await ask(base, `/unblock/o/n/${issue}`)).status).toBe(404);
    }
  });

  const skipLink = (issue: number): string => `href="/steer/skip-review/o/n/${issue}"`;

  it.each([
    ['that failed', 63, 'o/n#63', 0],
    ['that is running, and stops it', 62, 'o/n#62', 1],
  ])('skips an AI review %s, once', async (_what, issue, name, stopped) => {
    const path = `/steer/skip-review/o/n/${issue}`;
    expect((await ask(base, `/issues/o/n/${issue}`)).body).toContain(skipLink(issue));
    expect(textOf((await ask(base, path)).body)).toContain(`Skip the AI review of ${name}?`);
    const done = await submit(path);
    expect(done).toMatchObject({
      status: 200,
      text: expect.stringContaining(`Skipped the AI review of ${name}`),
    });
    expect(stage.edit((state) => state.readPull(1, issue + 10)?.reviewSkippedSha)).toBe(OLD);
    expect([countEvents(issue, 'review_skipped'), countEvents(issue, 'turn_cancelled')]).toEqual([
      1,
      stopped,
    ]);
    expect((await ask(base, `/issues/o/n/${issue}`)).body).not.toContain(skipLink(issue));
    expect((await ask(base, path)).status).toBe(404);
  });

  it('skips an AI review that waits for a person, but none that approved the head commit', async () => {
    const page = async () => (await ask(base, '/issues/o/n/60')).body;
    expect(await page()).not.toContain(skipLink(60));
    stage.edit((state) => {
      const pull = state.readPull(1, 70);
      if (pull) state.savePull({ ...pull, humanReviewRequired: true }, Date.now());
    });
    expect(await page()).toContain(skipLink(60));
    stage.edit((state) => {
      const pull = state.readPull(1, 70);
      if (pull) state.savePull({ ...pull, humanReviewRequired: false }, Date.now());
      const round = { repoId: 1, prNumber: 70, headSha: OLD, fixCycle: 0, turnKey: null };
      const { id } = state.recordReviewRound(round, 1);
      const result = { summary: 'Fine.', raised: [], gone: [] };
      const approved = { result, verdict: { kind: 'approved' }, remoteId: null } as const;
      state.completeReviewRound(id, approved, 2);
    });
    expect(await page()).not.toContain(skipLink(60));
  });

  it('cancels the running turn, which also pauses the issue, and a second form finds nothing to cancel', async () => {
    const page = textOf((await ask(base, '/steer/cancel/o/n/61')).body);
    expect(page).toMatch(
      /Cancel the turn of o\/n#61\? .*MergeXO pushes and posts nothing from the turn: o\/n#61 In work/,
    );
    const late = await loadForm(base, '/steer/cancel/o/n/61');
    const done = await submit('/steer/cancel/o/n/61', { reason: 'wrong branch' });
    expect(done).toMatchObject({ status: 200, text: expect.stringContaining('Canceled the turn of o/n#61') });
    expect(stage.edit((state) => state.readTurn(turnKey)?.state)).toBe('cancelled');
    expect(listPauses()).toMatchObject([{ issueNumber: 61, by: 'dashboard', reason: 'wrong branch' }]);
    const again = await ask(base, '/steer/cancel/o/n/61', late);
    expect([again.status, textOf(again.body)]).toEqual([409, expect.stringContaining('nothing to cancel')]);
    expect(countEvents(61, 'turn_cancelled')).toBe(1);
  });
});
