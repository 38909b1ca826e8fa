import { buildTarget, planTurnAction } from '@mergexo/core/actions';
import type { State } from '@mergexo/state';
import { aPlan, aTurn } from '@mergexo/testkit';
import {
  addBlocked,
  addComment,
  addHeartbeat,
  addPull,
  addRepository,
  addRun,
  addRunningTurn,
  ask,
  createDashboardStage,
  type DashboardStage,
  HOSTILE,
} from '../fleet/dashboard-stage.js';

const DAY_MS = 86_400_000;
const COMMIT = 'c'.repeat(40);
const LISTED = ['/', '/issues', '/issues/o/n/60', '/issues/o/n/61', '/workers', '/repositories'];
const PAGES = [
  ...LISTED,
  '/costs?by=issue',
  '/activity',
  '/steer/cancel/o/n/61',
  '/steer/pause/o/n',
  '/unblock/o/n/8',
  '/issues/o/n/999',
  '/nothing',
];

describe('the pages of the dashboard', () => {
  let stage: DashboardStage;
  let base: string;
  beforeAll(async () => {
    stage = await createDashboardStage();
    stage.edit((state) => {
      addRepository(state);
      addBlocked(state, 8, HOSTILE);
      addAnswered(state);
      addRunningTurn(state, addPull(state, 61, 71, `In work ${HOSTILE}`));
      addRun(state, 62, '=HYPERLINK("http://evil.example")');
      addCosts(state);
      const now = Date.now();
      state.saveWorkerLease({
        workerId: 'w-two',
        host: 'box',
        pid: 43,
        since: now,
        expiresAt: now + 600_000,
      });
      state.saveRateLimit({ login: 'robot', limit: 5_000, left: 4_321, resetsAt: now + DAY_MS }, now);
      state.recordPause({ repoId: 1, issueNumber: 62, since: now, by: 'ada', reason: HOSTILE });
      addHeartbeat(state);
    });
    base = await stage.startDashboard();
  });
  afterAll(() => stage?.close());
  beforeEach(() => stage.edit(addHeartbeat));

  const read = async (path: string): Promise<string> => (await ask(base, path)).body;
  const textOf = (html: string): string => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
  const titlesOf = (html: string): string[] =>
    [...html.matchAll(/<a class="goal"[^>]*><bdi>([^<]*)/g)].map(([, title = '']) => title);

  it.each(PAGES)(
    '%s shows hostile text as text, runs only its own scripts and refuses foreign hosts',
    async (path) => {
      const { body, headers } = await ask(base, path);
      expect(headers['content-security-policy']).toMatch(
        /default-src 'none'; script-src 'self'; style-src 'self';/,
      );
      expect(body).not.toMatch(/<script(?! src="\/assets\/\w+\.js"(?: defer)?><)/);
      expect(body).not.toMatch(
        /<img(?! src="\/assets\/icon\.svg")|javascript:|\u202e|<style|\sstyle=|<[^>]+\son\w+=/,
      );
      expect(body).not.toMatch(/src="(?!\/assets\/)|url\(/);
    },
  );

  it.each(LISTED)('%s shows who paused what, since when and why', async (path) => {
    expect(textOf(await read(path))).toMatch(
      /o\/n#62 is paused by ada since \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ : &quot;&gt;&lt;script&gt;/,
    );
  });

  it('redacts a secret that a page would cut in two', async () => {
    stage.edit((state) => {
      addBlocked(state, 9, 'Leaky');
      const pull = state.readPull(1, 9);
      if (pull === undefined) throw new Error('no pull request');
      state.savePull({ ...pull, error: `${'x'.repeat(260)} ghp_${'A'.repeat(36)}` }, Date.now());
    });
    const body = await read('/');
    expect(body).toContain('xxx [redacted]');
    expect(body).not.toContain('ghp_');
  });

  it('shows an issue with its turns folded, newest first, with comments, answers, commit, tests and cost', async () => {
    const body = await read('/issues/o/n/60');
    const cards = body.split('<details class="turn"').slice(1);
    expect(cards.map((card) => card.slice(0, card.indexOf('>')).includes(' open'))).toEqual([true, false]);
    const [newest = '', first = ''] = cards.map(textOf);
    expect(newest).toMatch(/Reply to feedback done .* 2 comments · \$0\.25/);
    expect(newest).toMatch(
      /grace commented on a line of #70, src\/a\.ts:7 .*Which one\? MergeXO replied The second\./,
    );
    expect(newest).toMatch(/MergeXO replied to the comments above Both are done\./);
    expect(newest).toMatch(
      /Commit cccccccccccc Tests required tests passed Cost \$0\.25 Agent codex gpt-5 Tokens 1k in \(800 cached\), 100 out Agent time 3m 20s Attempts 1 Worker w-one/,
    );
    expect(first).toContain('Fix a bug');
    expect(body).toContain(`/o/n/commit/${COMMIT}`);
    expect(body).toMatch(/href="\/turns\/[0-9a-f]{64}"/);
  });

  it('shows no internals on an issue unless a person unfolds them', async () => {
    const body = await read('/issues/o/n/60');
    const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(body) ?? [];
    let folded = main;
    for (let before = ''; before !== folded; ) {
      before = folded;
      folded = folded.replace(/<details class="inner[^>]*>(?:(?!<details)[\s\S])*?<\/details>/g, '');
    }
    expect(folded).not.toMatch(/Turn opened|A worker started the turn|Turn complete/);
    expect(textOf(folded)).not.toMatch(/\b[a-z]+_[a-z_]+\b/);
    expect(main).toContain('Turn complete');
  });

  it('searches, filters, sorts and pages the issues by URL', async () => {
    expect(titlesOf(await read('/issues?q=wORK'))).toHaveLength(1);
    expect(titlesOf(await read('/issues?q=%2362'))).toEqual(['=HYPERLINK(&quot;http://evil.example&quot;)']);
    expect(titlesOf(await read('/issues?state=running'))).toHaveLength(1);
    expect(titlesOf(await read('/issues?state=attention&person=grace'))).toEqual(['Answered']);
    expect(titlesOf(await read('/issues?repo=o/other'))).toEqual([]);
    expect(titlesOf(await read('/issues?flow=design_doc'))).toEqual([]);
    const numbers = [...(await read('/issues?sort=number&dir=asc')).matchAll(/o\/n#(\d+)<\/a> ·/g)].map(
      Number,
    );
    expect(numbers).toEqual(numbers.toSorted());
    stage.edit((state) => {
      for (let issue = 200; issue < 260; issue += 1) addRun(state, issue, `Filler ${issue}`);
    });
    const second = await read('/issues?q=Filler&sort=title&page=2');
    expect(titlesOf(second)).toHaveLength(10);
    expect(second).toContain('Page 2 of 2');
    expect(second).toContain('rel="prev" href="/issues?q=Filler&amp;sort=title"');
    expect(titlesOf(await read('/issues?q=Filler&page=99'))).toHaveLength(10);
  });

  it('redirects the search form to a short URL', async () => {
    const path = '/issues?q=a%26b&repo=&flow=&state=blocked&person=%40ada&order=title-asc';
    const { status, headers } = await ask(base, path);
    expect([status, headers.location]).toEqual([302, '/issues?q=a%26b&state=blocked&person=ada&sort=title']);
  });

  it.each([
    `/issues?q=${encodeURIComponent(HOSTILE)}&person=${encodeURIComponent(HOSTILE)}`,
    `/issues?q=${'%F0%9F%98%80'.repeat(300)}`,
    '/issues?q=%ff%00&page=-1&sort=__proto__&dir=x&state=constructor&flow=toString',
    '/issues?page=999999999999',
    '/costs?by=__proto__&days=1e9',
    '/costs.csv?by=constructor&days=-1',
    '/activity?range=toString',
    '/issues/o/n/60?all=%00',
  ])('accepts the manipulated query %s', async (path) => {
    const { status, body } = await ask(base, path);
    expect(status).toBe(200);
    expect(body).not.toMatch(/<script>|NaN/);
  });

  it('shows which worker is idle and what the others do', async () => {
    const text = textOf(await read('/workers'));
    expect(text).toMatch(/Busy 1 Idle 1 Down 0/);
    expect(text).toMatch(/w-one busy Reply to feedback · o\/n#61 In work .* for 1m \d+s/);
    expect(text).toMatch(/w-two idle box, process 43 , last heartbeat just now · no recent turn/);
    expect(text).not.toContain('w-two busy');
  });

  it('shows which worker is down, until a worker with the same key and host replaces it', async () => {
    const tell = (type: 'worker_heartbeat_timeout' | 'worker_started', worker: string): void =>
      stage.edit((state) =>
        state.recordEvent({ type, payload: { worker, host: 'far', pid: 7, turns: 1 } }, Date.now()),
      );
    tell('worker_heartbeat_timeout', 'local@far-7-ab');
    expect(textOf(await read('/workers'))).toMatch(
      /Down 1 local@far-7-ab down Stopped responding just now .* far, process 7/,
    );
    expect(textOf(await read('/'))).toContain('1 of 2 busy, 1 down');
    tell('worker_started', 'local@far-8-cd');
    expect(textOf(await read('/workers'))).toMatch(/Down 0 w-one/);
    expect(textOf(await read('/'))).toMatch(/Poller polled just now Workers 1 of 2 busy Spent today/);
  });

  it('shows the last poll, the rate limit and the write budget', async () => {
    const at = Date.now();
    stage.edit((state) => {
      for (const sentAt of [at - 3_600_001, at - 60_000, at]) state.recordGitHubWrite(sentAt, { before: 0 });
    });
    const text = textOf(await read('/repositories'));
    expect(text).toMatch(
      /o\/n ok Last polled: just now \(\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ\) Next poll: (?:now|by \d\d:\d\d:\d\d UTC)/,
    );
    expect(text).toMatch(/Rate limit of robot 4321 of 5000 requests left until \d\d:\d\d UTC/);
    expect(text).toContain('Write budget 398 of 400 writes left; 2 in the last hour');
    stage.edit((state) => state.saveHealth({ subject: 'repo/1', code: 'refused', detail: HOSTILE }, at));
    expect(textOf(await read('/repositories'))).toMatch(
      /o\/n refused Last polled: .* &quot;&gt;&lt;script&gt;/,
    );
  });

  it('shows the costs of yesterday, of an issue and of a phase, and says what is unknown', async () => {
    const text = textOf(await read('/costs?by=issue'));
    expect(text).toMatch(/Yesterday \$4\.00/);
    expect(text).toMatch(/o\/n#60 Answered \$4\.25 2 2 codex gpt-5 3m 20s 1k 800 105/);
    expect(text).toMatch(/o\/n#62 =HYPERLINK.* unknown 1 1 unknown unknown 7 unknown 0/);
    expect(text).toContain('1 attempt used tokens but reported no cost');
    expect(textOf(await read('/costs?by=phase'))).toMatch(
      /Fix a bug \$4\.00 2 .*Reply to feedback \$0\.25 1/,
    );
    expect(textOf(await read('/costs?by=repo&days=7'))).toContain('By repository, last 7 days');
  });

  it('downloads the costs as CSV that a spreadsheet does not run', async () => {
    const { headers, body } = await ask(base, '/costs.csv?by=issue&days=7');
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename=mergexo-cost-by-issue-7-days.csv',
    });
    const [head, first, second] = body.split('\r\n');
    expect(head).toBe(
      'day,repository,issue,title,phase,turns,agents,attempts,attempts_without_cost,input_tokens,cached_tokens,output_tokens,minutes,cost_usd',
    );
    expect(first).toBe(',"o/n",60,"Answered",,2,"codex gpt-5",2,0,1010,800,105,3.3,4.25');
    expect(second).toBe(`,"o/n",62,"'=HYPERLINK(""http://evil.example"")",,1,,1,1,7,,0,,0`);
    expect((await ask(base, '/costs.csv?by=day')).body).toMatch(/\r\n"\d{4}-\d\d-\d\d",,,,,/);
  });

  it.each(['hours', 'days', 'weeks'])('draws four charts over %s', async (range) => {
    const body = await read(`/activity?range=${range}`);
    expect(body.match(/<svg /g)).toHaveLength(4);
    expect(body).toContain(`<a href="/activity?range=${range}" aria-current="page">`);
  });

  it('shows a problem of MergeXO on every page, and in the icon', async () => {
    stage.edit((state) => state.saveHealth({ subject: 'poller', code: 'ok', detail: null }, 1));
    expect(textOf(await read('/'))).toContain('Poller not running Workers unknown');
    expect(textOf(await read('/repositories'))).toContain('Next poll: when the poller runs again');
    for (const path of [...LISTED, '/costs', '/activity', '/nothing']) {
      const body = await read(path);
      expect([path, /class="notice bad">Poller not running since/.test(body)]).toEqual([path, true]);
      expect(body).toContain('href="/assets/icon-trouble.svg"');
    }
  });
});

/** Adds an issue whose second turn answered one comment on a line and one in the conversation. */
function addAnswered(state: State): void {
  const run = addPull(state, 60, 70, 'Answered');
  const now = Date.now();
  const about = { repoId: 1, runId: run.id, issueNumber: 60 };
  const done = { ...about, state: 'done', begins: ['r'], workerId: 'w-one' } as const;
  const first = aTurn({ ...done, openedAt: now - 7_200_000, endedAt: now - 7_100_000 });
  const second = aTurn({
    ...{ ...done, prNumber: 70, kind: 'implementation_feedback' },
    ...{ openedAt: now - 3_600_000, endedAt: now - 3_500_000 },
  });
  for (const turn of [first, second]) {
    state.recordTurn(turn, {});
    const { turnKey, openedAt } = turn;
    state.recordEvent({ type: 'turn_opened', ...about, turnKey }, openedAt);
    state.recordEvent({ type: 'turn_begun', ...about, turnKey }, openedAt + 1_000);
    state.recordEvent({ type: 'turn_completed', ...about, turnKey }, turn.endedAt ?? 0);
  }
  const { turnKey } = second;
  const keys = [
    addComment(state, run, 900, 3_700_000, { body: 'And the other one?' }),
    addComment(state, run, 901, 3_700_000, {
      ...{ kind: 'review', body: 'Which one?', path: 'src/a.ts', line: 7 },
      author: { id: 9, login: 'grace', type: 'User' },
    }).replace(':issue:', ':review:'),
  ];
  state.claimEvents(1, keys, turnKey);
  for (const eventKey of keys) state.markEventProcessed({ repoId: 1, eventKey }, now);
  const { plan } = aPlan('x');
  const commit = { branch: 'b60', startSha: 'a'.repeat(40), sha: COMMIT };
  const replies = [{ commentId: 901, rootId: 901, body: 'The second.' }];
  const result = { kind: 'answer' as const, replies, general: 'Both are done.' };
  state.recordPlan(turnKey, { plan: { ...plan, commit, result }, bundle: null });
  const reply = { kind: 'review_reply' as const, payload: null, thread: 70, position: 0 };
  const target = buildTarget({ kind: 'review', commentId: 901 });
  const general = { kind: 'general_comment' as const, payload: null, thread: 70, position: 1 };
  const pull = buildTarget({ kind: 'pull', number: 70 });
  const actions = [
    planTurnAction(second, { ...reply, target }),
    planTurnAction(second, { ...general, target: pull }),
  ];
  state.recordActions(
    actions.map((action) => ({ ...action, state: 'settled' as const })),
    now,
  );
  const spend = { repoId: 1, runId: run.id, attempt: 1, inputTokens: 1_000, outputTokens: 100 };
  const details = { adapter: 'codex', model: 'gpt-5', cachedTokens: 800, durationMs: 200_000 };
  state.recordSpend({ ...spend, ...details, turnKey, costUsd: 0.25 }, now);
}

function addCosts(state: State): void {
  const [run] = state.listRunsOfIssue(1, 60);
  const [other] = state.listRunsOfIssue(1, 62);
  if (run === undefined || other === undefined) throw new Error('no run');
  const [first] = state.listTurnsOfRun(run.id);
  const unpriced = aTurn({ runId: other.id, issueNumber: 62, state: 'done', endedAt: Date.now() });
  state.recordTurn(unpriced, {});
  const midnight = Date.now() - (Date.now() % DAY_MS);
  const about = { repoId: 1, attempt: 1 };
  state.recordSpend(
    { ...about, runId: run.id, turnKey: first?.turnKey ?? '', inputTokens: 10, outputTokens: 5, costUsd: 4 },
    midnight - 1,
  );
  state.recordSpend(
    { ...about, runId: other.id, turnKey: unpriced.turnKey, inputTokens: 7, outputTokens: 0, costUsd: 0 },
    Date.now(),
  );
}
