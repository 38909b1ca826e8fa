import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSecret } from '@mergexo/config';
import { planNotice } from '@mergexo/core/actions';
import { silentLog } from '@mergexo/core/basics';
import { computeSender } from '@mergexo/core/ledger';
import { createLedgerClient, createTurnQueue } from '@mergexo/queue';
import { aRemark, aTurn, createTemporaryDirectory, eventually, withProof } from '@mergexo/testkit';
import {
  addBlocked,
  addComment,
  addHeartbeat,
  addHistory,
  addPull,
  addRepository,
  addRun,
  addRunningTurn,
  ask,
  createDashboardStage,
  type DashboardStage,
  HOSTILE,
  loadForm,
  NEW,
  OLD,
  refuseToStart,
  startDashboard,
} from '../fleet/dashboard-stage.js';

const PASSWORD = 'correct horse battery';

describe('the dashboard', () => {
  let stage: DashboardStage;
  let base: string;
  let runningKey: string;
  beforeAll(async () => {
    stage = await createDashboardStage();
    runningKey = stage.edit((state) => {
      addRepository(state);
      addBlocked(state, 7);
      addBlocked(state, 8, HOSTILE);
      const run = addRun(state, 50, 'Slow search');
      state.saveRun(
        { ...run, status: 'blocked', blockedKind: 'turn_failed', error: 'three crashes' },
        Date.now(),
      );
      addRun(state, 51, 'New work');
      const answered = addPull(state, 52, 12, 'Answered');
      const eventKey = addComment(state, answered, 900, 90_000);
      state.markEventProcessed({ repoId: 1, eventKey }, Date.now());
      addHistory(state, answered);
      const now = Date.now();
      const hour = 3_600_000;
      state.saveRateLimit({ login: 'robot', limit: 5_000, left: 4_999, resetsAt: now + hour }, now - 60_000);
      state.saveRateLimit({ login: 'robot', limit: 5_000, left: 4_321, resetsAt: now + hour }, now);
      state.saveRateLimit({ login: 'former', limit: 5_000, left: 7, resetsAt: now - 1 }, now);
      return addRunningTurn(state, addPull(state, 53, 13, 'In work'));
    });
    const queue = createTurnQueue({ target: stage.fleet.target, log: silentLog });
    await queue.waitUntilReady();
    await queue.enqueueTurns([
      { turnKey: 'c'.repeat(64), epoch: 1 },
      { turnKey: 'd'.repeat(64), epoch: 1, delayMs: 600_000 },
    ]);
    await queue.close();
    base = await stage.startDashboard();
  });
  afterAll(() => stage?.close());

  const pullOf = (prNumber: number) => stage.edit((state) => state.readPull(1, prNumber));
  const sectionOf = (page: string, id: string): string => {
    const [, section = ''] = new RegExp(`<section id="${id}">(.*?)</section>`, 's').exec(page) ?? [];
    return section.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
  };

  describe('shows', () => {
    it('home: what needs a person, what runs, what waits and what is done, with reasons', async () => {
      stage.edit(addHeartbeat);
      const { status, body } = await ask(base, '/');
      expect(status).toBe(200);
      expect(sectionOf(body, 'running')).toMatch(
        /In work o\/n#53 · Bug fix · PR #13 the agent is working Reply to feedback on w-one · last heartbeat just now 1m \d+s Cancel…/,
      );
      expect(sectionOf(body, 'queue')).toContain(
        'New work o/n#51 · Bug fix Waiting for the poller: the first turn starts next',
      );
      const attention = sectionOf(body, 'attention');
      expect(attention).toMatch(
        /Answered o\/n#52 · Bug fix · PR #12 Review and merge Every comment is answered\. The pull request is waiting for you\./,
      );
      expect(attention).not.toContain('In work');
      expect(attention).toContain('Blocked The history was rewritten.');
      expect(attention).toContain('history rewritten · 1 unanswered comment');
      expect(attention).toContain(' npx mergexo feedback blocked reset --repo o/n --pr 7 ');
      expect(attention).toContain(` npx mergexo feedback blocked reset --repo o/n --pr 7 --head-sha ${NEW} `);
      expect(attention).toMatch(
        /Slow search .* Blocked three crashes turn failed .*reset --repo o\/n --issue 50 .* \/mergexo retry/,
      );
      expect(body).toContain('href="/unblock/o/n/50">Retry…</a>');
      expect(body).toContain('href="/unblock/o/n/7">');
      expect(body).toContain('<a href="/workers">1 of 1 busy</a>');
      expect(body).toMatch(
        /<title>\(\d\) Home · MergeXO<\/title>\n<link rel="icon" href="\/assets\/icon-attention.svg"/,
      );
      expect(sectionOf((await ask(base, '/workers')).body, 'workers')).toMatch(
        /w-one busy .*box, process 42/,
      );
    });

    it('the same cost for today on every page, even right after a turn', async () => {
      await ask(base, '/');
      stage.edit((state) =>
        state.recordSpend(
          {
            repoId: 1,
            runId: 1,
            turnKey: 'c'.repeat(64),
            attempt: 1,
            inputTokens: 1,
            outputTokens: 1,
            costUsd: 123.45,
          },
          Date.now(),
        ),
      );
      const home = (await ask(base, '/')).body;
      const [, figure] = /<a href="\/costs">(\$\d+\.\d+)<\/a>/.exec(home) ?? [];
      const { body } = await ask(base, '/costs');
      const [, card] = /<dt>Today<\/dt>\s*<dd>(\$\d+\.\d+)<\/dd>/.exec(body) ?? [];
      const [, plot] = /(\$\d+\.?\d*) today/.exec(body) ?? [];
      expect([Number(card?.slice(1)) > 123, plot, figure]).toEqual([true, card, card]);
    });

    it('a timeline with a failed check and with a comment that was edited within a second', async () => {
      stage.edit((state) => {
        const run = addPull(state, 54, 14, 'Checked');
        for (const [kind, updatedAt, createdAt] of [
          ['ci', `${OLD.slice(0, 12)}.attempt-1`, '2026-01-02T03:04:05Z'],
          ['ci', `conflict-${OLD}`, ''],
          ['issue', '2026-01-02T03:04:05Z+0a1b2c3d', '2026-01-01T00:00:00Z'],
        ] as const)
          addComment(state, run, 950, 0, { kind, updatedAt, createdAt, body: '**Bold** words' });
      });
      const { status, body } = await ask(base, '/issues/o/n/54');
      expect(status).toBe(200);
      expect(body.replace(/<[^>]*>/g, '').match(/2026-01-02 03:04:05Z/g)).toHaveLength(2);
      expect(body).toContain('<bdi>Bold words</bdi>');
    });

    it('the timeline of an issue, under the number of the issue and of its pull request', async () => {
      const { status, body } = await ask(base, '/issues/o/n/107');
      expect(status).toBe(200);
      const text = body.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
      expect(text).toContain('MergeXO started work on the issue');
      expect(text).toMatch(/Pull request blocked #7 kind history rewritten reason The history was rewritten/);
      expect(text).toMatch(/ada commented on #7 · \S+ \S+ pending/);
      const moved = await ask(base, '/issues/o/n/7');
      expect([moved.status, moved.headers.location]).toEqual([302, '/issues/o/n/107']);
      expect((await ask(base, '/issues/o/n/999')).status).toBe(404);
    });

    it('metrics in the Prometheus format', async () => {
      stage.edit(addHeartbeat);
      const { status, headers, body } = await ask(base, '/metrics');
      expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
      const lines = body.trimEnd().split('\n');
      const sample =
        /^mergexo_[a-z_]+(\{[a-z_]+="[^"\\]*"(,[a-z_]+="[^"\\]*")*\})? -?\d+(\.\d+)?(e[+-]\d+)?$/;
      expect(lines.filter((line) => !/^# (HELP|TYPE) mergexo_/.test(line) && !sample.test(line))).toEqual([]);
      const names = lines.flatMap((line) => /^# TYPE (\S+)/.exec(line)?.[1] ?? []);
      expect(new Set(names).size).toBe(names.length);
      for (const expected of [
        'mergexo_queue_size{queue="turns",state="prioritized"} 1',
        'mergexo_queue_size{queue="turns",state="delayed"} 1',
        'mergexo_poller_up 1',
        'mergexo_workers_running 1',
        'mergexo_blocked{reason="history_rewritten"} 2',
        'mergexo_blocked{reason="turn_failed"} 1',
        'mergexo_turns{state="running"} 1',
        'mergexo_review_response_seconds_count 1',
        'mergexo_github_rate_limit_left{login="robot"} 4321',
        'mergexo_github_rate_limit{login="robot"} 5000',
      ])
        expect(lines).toContain(expected);
      expect(body).not.toContain('former');
      expect(body).toMatch(/^mergexo_turn_failures_total\{cause="agent"\} [1-9]/m);
      expect(body).toMatch(/^mergexo_review_response_mean_seconds (9\d|1\d\d)(\.\d+)?$/m);
    });

    it('a failed review with its reason, and a redirected comment', async () => {
      stage.edit((state) => {
        const run = addPull(state, 55, 15, 'Unreviewed');
        const pull = state.readPull(1, 15);
        if (pull === undefined) throw new Error('no pull request');
        state.savePull({ ...pull, humanReviewRequired: true }, 1);
        const about = { repoId: 1, runId: run.id, issueNumber: 55, prNumber: 15, kind: 'review' as const };
        const turn = aTurn({
          ...about,
          turnKey: '5'.repeat(64),
          state: 'blocked',
          reason: 'it failed 3 times',
        });
        state.recordTurn(turn, {});
        const round = { repoId: 1, prNumber: 15, headSha: OLD, fixCycle: 0, turnKey: turn.turnKey };
        state.markReviewRoundEnded(state.recordReviewRound(round, 1).id, 'failed', 2);
        const key = addComment(state, { ...run, prNumber: null }, 960, 0);
        const { id: runId } = run;
        const redirect = planNotice({
          kind: 'redirect',
          repoId: 1,
          runId,
          thread: 55,
          cause: [960],
          commentId: 960,
          payload: { text: 'There.' },
        });
        state.recordActions([{ ...redirect, state: 'settled' }], 1);
        state.markEventProcessed({ repoId: 1, eventKey: key }, 1);
        const body =
          '**Approved.**\n\n<details>\n<summary>Machine-readable result</summary>\n\nREVIEW_RESULT: approved';
        const review = aRemark({ kind: 'review_summary', commentId: 961, thread: 15, body });
        const ownReview = {
          repoId: 1,
          issueNumber: 55,
          remark: review,
          skipReason: { code: 'ours' },
        } as const;
        state.recordFeedbackEvent(ownReview, 1);
      });
      const { body } = await ask(base, '/issues/o/n/55');
      expect(body).toMatch(
        /<span class="tag bad">failed<\/span><\/p>\s*<p class="text"><bdi>it failed 3 times/,
      );
      expect(body).toContain('<span class="tag quiet">redirected to the pull request</span>');
      expect(body).toContain('<bdi>Approved.</bdi>');
      const attention = sectionOf((await ask(base, '/')).body, 'attention');
      expect(attention).toContain(
        'Human review required A person must review the change, because the AI review failed: it failed 3 times.',
      );
    });

    it('its liveness and its readiness', async () => {
      expect((await ask(base, '/healthz')).body).toBe('ok\n');
      stage.edit(addHeartbeat);
      expect((await ask(base, '/readyz')).body).toBe('ready\n');
    });

    it.each([
      [
        'a poller that died',
        { subject: 'poller', code: 'ok', detail: null } as const,
        /Poller not running since \d\d:\d\d UTC/,
        { up: 0, problem: 'stale' },
      ],
      [
        'a token that GitHub rejects',
        { subject: 'github', code: 'token-rejected', detail: 'x' } as const,
        /GitHub has rejected the token since \d\d:\d\d UTC/,
        { up: 1, problem: 'token-rejected' },
      ],
    ])(
      '%s, on the page, in the readiness check and in the metrics',
      async (_what, report, message, { up, problem }) => {
        const later = Date.now() - 60_000;
        stage.edit(addHeartbeat);
        stage.edit((state) => state.saveHealth(report, report.subject === 'poller' ? later : Date.now()));
        const { body } = await ask(base, '/');
        expect(body).toMatch(message);
        const ready = await ask(base, '/readyz');
        expect([ready.status, ready.body]).toEqual([503, expect.stringMatching(message)]);
        const metrics = (await ask(base, '/metrics')).body;
        expect(metrics).toContain(`mergexo_poller_up ${up}\n`);
        expect(metrics).toContain(`mergexo_problems{code="${problem}"} 1\n`);
        // The number of workers is unknown while no poller runs.
        expect(metrics.includes('mergexo_workers_running')).toBe(up === 1);
        expect(body).toContain(`<a href="/workers">${up === 1 ? '1 of 1 busy' : 'unknown'}</a>`);
        stage.edit(addHeartbeat);
      },
    );

    it('Bull Board for the turns and ledger queues, read-only', async () => {
      expect((await ask(base, '/queues/')).body).toContain('MergeXO queues');
      expect((await ask(base, '/queues/')).body).not.toContain('https://');
      expect((await ask(base, '/favicon.ico')).status).toBe(200);
      const { queues } = JSON.parse(
        (await ask(base, '/queues/api/queues?activeQueue=turns&page=1&jobsPerPage=10')).body,
      );
      expect(queues).toMatchObject([
        { name: 'turns', readOnlyMode: true, allowRetries: false, counts: { prioritized: 1, delayed: 1 } },
        { name: 'ledger', readOnlyMode: true },
      ]);
      const id = `t-${'c'.repeat(64)}-1`;
      expect(queues[0].jobs).toContainEqual(
        expect.objectContaining({ id, name: 'turn', data: { turnKey: 'c'.repeat(64), epoch: 1 } }),
      );
      expect(JSON.parse((await ask(base, `/queues/api/queues/turns/${id}`)).body)).toMatchObject({
        job: { id },
        status: 'prioritized',
      });
      expect((await ask(base, '/queues/api/queues/turns/meta')).status).toBe(404);
      expect((await ask(base, `/queues/api/queues/turns/${id}/flow`)).status).toBe(200);
      for (const [method, path] of [
        ['PUT', 'turns/obliterate'],
        ['PUT', 'turns/pause'],
        ['PUT', 'turns/empty'],
        ['PUT', `turns/${id}/promote`],
        ['PUT', `turns/${id}/clean`],
        ['POST', 'turns/add'],
        ['PATCH', `turns/${id}/update-data`],
      ] as const) {
        expect([path, (await ask(base, `/queues/api/queues/${path}`, { method })).status]).toEqual([
          path,
          405,
        ]);
        const shouted = await ask(base, `/QUEUES/api/queues/${path}`, { method });
        expect([path, shouted.status]).toEqual([path, 405]);
      }
      const { counts } = JSON.parse((await ask(base, '/queues/api/queues')).body).queues[0];
      expect(counts).toMatchObject({ prioritized: 1, delayed: 1 });
    });
  });

  describe('refuses', () => {
    it.each([
      ['evil.example', 403],
      ['evil.example:7420', 403],
      ['127.0.0.1.evil.example', 403],
      ['localhost, evil.example', 403],
      ['fleet.example', 200],
      ['localhost:1', 200],
      ['[::1]:7420', 200],
    ])('unknown host names: the host %j gets status %j', async (host, status) => {
      for (const path of ['/', '/metrics', '/healthz', '/queues/', '/unblock/o/n/7']) {
        const answer = await ask(base, path, { headers: { host } });
        expect([path, answer.status]).toEqual([path, status]);
        if (status === 403) expect(answer.body).not.toContain('mergexo_');
      }
    });

    it.each([
      ['another origin', { origin: 'http://evil.example' }],
      ['a null origin', { origin: 'null' }],
      ['another port on this machine', { origin: 'http://127.0.0.1:1' }],
      ['another site, by Sec-Fetch-Site', { 'sec-fetch-site': 'cross-site' }],
      ['a sibling subdomain', { 'sec-fetch-site': 'same-site' }],
    ])('a form from %s, even with a valid token', async (_name, headers) => {
      const loaded = await loadForm(base, '/unblock/o/n/7');
      const form = { ...loaded.form, head_sha: '' };
      expect(form).toHaveProperty('token');
      const answer = await ask(base, '/unblock/o/n/7', { form, headers: { ...loaded.headers, ...headers } });
      expect([answer.status, answer.body]).toEqual([403, expect.stringContaining('another site')]);
      expect(pullOf(7)?.status).toBe('blocked');
    });

    it('a form without the token of exactly this confirmation', async () => {
      const { form: fields, headers } = await loadForm(base, '/unblock/o/n/7');
      const form = { ...fields, head_sha: '' };
      const forged: Record<string, string>[] = [
        {},
        { ...form, token: '' },
        { ...form, token: '0'.repeat(64) },
        { ...form, request_id: 'other' },
        { ...form, expires_at: '9999999999999' },
      ];
      for (const one of forged)
        expect((await ask(base, '/unblock/o/n/7', { form: one, headers })).status).toBe(403);
      expect((await ask(base, '/unblock/o/n/8', { form, headers })).status).toBe(403);
      const wrongHead = { ...form, head_sha: 'HEAD' };
      expect((await ask(base, '/unblock/o/n/7', { form: wrongHead, headers })).status).toBe(400);
      expect((await ask(base, '/unblock/o/n/7', { method: 'PUT' })).status).toBe(405);
      const large = { ...form, filler: 'x'.repeat(10_000) };
      expect((await ask(base, '/unblock/o/n/7', { form: large, headers })).status).toBe(413);
      expect([pullOf(7)?.status, pullOf(8)?.status]).toEqual(['blocked', 'blocked']);
    });

    it('scripts in titles, reasons and comments, which it shows as text', async () => {
      for (const path of ['/', '/issues', '/issues/o/n/108', '/unblock/o/n/8']) {
        const { body, headers } = await ask(base, path);
        expect(body).toContain('&lt;script&gt;document.title=&#39;owned&#39;&lt;/script&gt;');
        expect(body).not.toMatch(/<script(?! src="\/assets\/\w+\.js"(?: defer)?><)/);
        expect(body).not.toMatch(/<img(?! src="\/assets\/icon\.svg")|javascript:|\u202e/);
        expect(headers['content-security-policy']).toContain("script-src 'self';");
      }
    });

    it.each([
      '/../../../../etc/passwd',
      '/assets/../package.json',
      '/assets/..%2fpackage.json',
      '/assets/%2e%2e/package.json',
      '/assets/..%5c..%5cpackage.json',
      '/assets/dashboard.css%00.js',
      '/queues/static/../../../package.json',
      '/queues/static/..%2f..%2f..%2fpackage.json',
      '/queues/static/%252e%252e/package.json',
      '/issues/o/..%2f..%2fstate.db/1',
      '/issues/../n/7',
      '/issues/o/n/7%27%20or%201=1',
      '/unblock/o/n/-1',
      '/%',
      '/issues/%ff/n/1',
      '//evil.example/',
      'http://evil.example/',
    ])('the manipulated path %s', async (path) => {
      const { status, body } = await ask(base, path);
      expect([path, [400, 404].includes(status)]).toEqual([path, true]);
      expect(body).not.toMatch(/root:|"dependencies"|SQLite format|\bat .*\.js:\d+/);
    });

    it('framing, MIME sniffing and caching, and does not reveal its software', async () => {
      for (const path of ['/', '/queues/', '/metrics', '/nothing']) {
        const { headers } = await ask(base, path);
        expect(headers).toMatchObject({
          'x-content-type-options': 'nosniff',
          'x-frame-options': 'DENY',
          'referrer-policy': 'same-origin',
          'cache-control': expect.stringContaining('no-store'),
        });
        expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
        expect(headers['content-security-policy']).not.toMatch(/script-src[^;]*unsafe|\*/);
        expect(headers).not.toHaveProperty('x-powered-by');
        expect(headers).not.toHaveProperty('access-control-allow-origin');
      }
    });

    it('all requests without the password if a password is set, except health probes', async () => {
      const locked = await stage.startDashboard({ MERGEXO_DASHBOARD_PASSWORD: PASSWORD });
      const basic = (credentials: string) => ({
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      });
      for (const path of [
        '/',
        '/metrics',
        '/queues/api/queues',
        '/issues',
        '/costs.csv',
        '/unblock/o/n/7',
        '/assets/refresh.js',
      ]) {
        const none = await ask(locked, path);
        expect([path, none.status, none.headers['www-authenticate']]).toEqual([
          path,
          401,
          expect.stringContaining('Basic'),
        ]);
        expect(none.body).not.toContain('Login');
      }
      expect((await ask(locked, '/', { headers: basic('ada:wrong') })).status).toBe(401);
      expect((await ask(locked, '/', { headers: basic(`ada:${PASSWORD}`) })).status).toBe(200);
      expect((await ask(locked, '/healthz')).status).toBe(200);
      const { form, headers } = await loadForm(base, '/unblock/o/n/7');
      expect((await ask(locked, '/unblock/o/n/7', { form, headers })).status).toBe(401);
    });
  });

  it('unblocks a pull request through the running poller once, no matter how often the form is sent', async () => {
    const { page, form: fields, headers } = await loadForm(base, '/unblock/o/n/7');
    expect(page).toContain(`value="${NEW}"`);
    // Neither head is preselected, because keeping the accepted head would block the pull request again.
    expect(page).not.toContain('checked');
    const unchosen = await ask(base, '/unblock/o/n/7', { form: fields, headers });
    expect([unchosen.status, pullOf(7)?.status]).toEqual([400, 'blocked']);
    const form: Record<string, string> = { ...fields, head_sha: NEW };
    const poller = await stage.fleet.startPoller();
    const done = await ask(base, '/unblock/o/n/7', {
      form,
      headers: { ...headers, origin: base.slice(0, -1) },
    });
    expect([done.status, done.body]).toEqual([200, expect.stringContaining('o/n#7 resumed')]);
    expect(pullOf(7)).toMatchObject({ status: 'awaiting_feedback', acceptedHeadSha: NEW });
    expect((await ask(base, '/unblock/o/n/7', { form, headers })).body).toContain('o/n#7 resumed');
    expect(stage.edit((state) => state.countEventsOfPull(1, 7, 'pull_unblocked'))).toBe(1);
    const events = stage.edit((state) => state.listEventsOfIssue(1, 107));
    expect(events.find(({ type }) => type === 'pull_unblocked')?.payload).toMatchObject({ by: 'dashboard' });
    expect(pullOf(8)).toMatchObject({ status: 'blocked', acceptedHeadSha: OLD });
    expect((await ask(base, '/unblock/o/n/7')).status).toBe(404);
    const queued = JSON.parse(
      (await ask(base, `/queues/api/queues/ledger/reset-${form['request_id']}`)).body,
    );
    expect(queued.job.data).toMatchObject({ kind: 'reset', headSha: NEW });
    expect(JSON.stringify(queued.job)).not.toContain('"mac"');

    const { current } = readSecret(join(stage.fleet.dir, 'secret'), undefined);
    const client = await createLedgerClient({
      target: stage.fleet.target,
      log: silentLog,
      sender: () => computeSender(current, 'w'),
    });
    const steps = [{ kind: 'say' as const, text: `asks the agent ${HOSTILE}`.slice(0, 80) }];
    const message = { kind: 'steps' as const, turnKey: runningKey, attempt: 2, first: 0, steps };
    await client.ask(withProof(message, stage.fleet.readTurn, current), 10_000);
    await client.close();
    expect(sectionOf((await ask(base, '/')).body, 'running')).toContain(
      'asks the agent &quot;&gt;&lt;script&gt;',
    );

    poller.kill('SIGSTOP');
    const other = await loadForm(base, '/unblock/o/n/8');
    const silent = await ask(base, '/unblock/o/n/8', { ...other, form: { ...other.form, head_sha: '' } });
    expect([silent.status, silent.body]).toEqual([503, expect.stringContaining('The request expired')]);
    poller.kill('SIGCONT');
  });

  it('resumes an issue without a pull request through the running poller', async () => {
    const loaded = await loadForm(base, '/unblock/o/n/50');
    expect(loaded.page).toContain('<h1>Retry o/n#50?</h1>');
    const done = await ask(base, '/unblock/o/n/50', loaded);
    expect([done.status, done.body]).toEqual([200, expect.stringContaining('o/n#50 resumed')]);
    expect((await ask(base, '/unblock/o/n/50')).status).toBe(404);
    const [command] = stage
      .edit((state) => state.listEventsOfIssue(1, 50))
      .filter(({ type }) => type === 'command_obeyed');
    expect(command?.payload).toMatchObject({
      command: 'reset',
      by: 'dashboard',
      blocked_reason: 'three crashes',
    });
  });

  it('reports an unreachable Redis, and reconnects', async () => {
    await stage.fleet.killRedis();
    const { status, body } = await ask(base, '/');
    expect([status, body]).toEqual([
      200,
      expect.stringMatching(/Redis (is not responding|timed out)|cannot read from Redis/),
    ]);
    expect(body).toContain('Redis unavailable');
    expect((await ask(base, '/readyz')).status).toBe(503);
    expect((await ask(base, '/metrics')).body).toContain('mergexo_redis_up 0\n');
    expect((await ask(base, '/healthz')).status).toBe(200);
    await stage.fleet.returnRedis();
    stage.edit(addHeartbeat);
    await eventually(async () => expect((await ask(base, '/readyz')).body).toBe('ready\n'));
  });
});

describe('the dashboard before anything else runs', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  const config = (lines: string, name = 'mergexo.toml'): string => {
    const path = join(directory.path, name);
    const base = `[runtime]\nbase_dir = ${JSON.stringify(directory.path)}\n[repo.demo]\nowner = "o"\nname = "n"\n`;
    writeFileSync(path, `${base}[dashboard]\nport = 0\n${lines}`);
    return path;
  };
  beforeEach(() => {
    directory = createTemporaryDirectory();
  });
  afterEach(() => directory.remove());

  it('starts without a database and Redis, reports that they are missing, and creates neither', async () => {
    const { program, url } = await startDashboard(config(''));
    try {
      const { status, body } = await ask(url, '/');
      expect(status).toBe(200);
      expect(body).toContain('There is no database yet');
      expect(body).toContain('Redis is not running yet');
      expect((await ask(url, '/readyz')).status).toBe(503);
      expect((await ask(url, '/metrics')).body).toContain('mergexo_state_up 0\n');
      for (const path of ['/issues', '/workers', '/repositories', '/costs', '/costs.csv', '/activity'])
        expect([path, (await ask(url, path)).status]).toEqual([path, 200]);
      for (const path of ['/issues/o/n/1', '/steer/pause/o/n'])
        expect([path, (await ask(url, path)).status]).toEqual([path, 404]);
      expect((await ask(url, '/unblock/o/n/1')).status).toBe(404);
      expect(existsSync(join(directory.path, 'state.db'))).toBe(false);
    } finally {
      program.kill('SIGTERM');
      expect(await program.exited).toBe(0);
    }
  });

  it('refuses to listen beyond loopback without a strong password', async () => {
    const cases = [
      ['0.0.0.0', {}, 'Set MERGEXO_DASHBOARD_PASSWORD'],
      ['0.0.0.0', { MERGEXO_DASHBOARD_PASSWORD: '' }, 'Set MERGEXO_DASHBOARD_PASSWORD'],
      ['fleet.example', { MERGEXO_DASHBOARD_PASSWORD: 'short' }, 'too short'],
    ] as const;
    const outputs = await Promise.all(
      cases.map(([host, env], index) => refuseToStart(config(`host = "${host}"\n`, `${index}.toml`), env)),
    );
    expect(outputs).toEqual(cases.map(([, , text]) => expect.stringContaining(text)));
    expect(outputs.join()).not.toContain('is ready');
  });
});
