import { eventually } from '@mergexo/testkit';
import { fetchResults } from '../fleet/fetch-results.js';
import { createWalk, REPO, type Walk, WINDOW_SECONDS } from '../fleet/walk.js';

describe('MergeXO, from a labeled issue to a pull request:', () => {
  let walk: Walk;
  afterEach(() => walk.closeAndCheck());

  const expectStatus = (issueNumber: number, status: string) =>
    eventually(
      () =>
        expect([walk.runOf(issueNumber)?.status, walk.outputs().slice(-3_000)]).toEqual([
          status,
          expect.anything(),
        ]),
      40_000,
    );
  const fileOf = async (path: string, ref: string): Promise<string> => {
    const file = await walk.alice.request(
      'GET',
      `/repos/${REPO}/contents/${path}?ref=${encodeURIComponent(ref)}`,
    );
    return Buffer.from(String(Object(file).content), 'base64').toString();
  };

  it('reports exactly once, with the expected path, that a design was merged without its document', async () => {
    walk = await createWalk();
    const number = await walk.openIssue('agent:design');
    walk.startPoller();
    walk.startWorker();
    await expectStatus(number, 'awaiting_feedback');
    const path = 'docs/design/1-login-broken.md';
    const { prNumber } = walk.runOf(number) ?? {};
    await walk.alice.pushFiles(REPO, 'agent/design/1-login-broken', { [path]: null, 'notes.txt': 'x\n' });
    await walk.alice.merge(REPO, prNumber ?? 0);
    const reports = async (): Promise<string[]> => {
      const rows = await walk.alice.request('GET', `/repos/${REPO}/issues/${prNumber}/comments`);
      const bodies = Array.isArray(rows) ? rows.map(({ body }) => String(body)) : [];
      return bodies.filter((body) => body.includes(`expected it at \`${path}\``));
    };
    await eventually(async () => expect(await reports()).toHaveLength(1), 60_000);
    await new Promise((done) => setTimeout(done, (WINDOW_SECONDS + 1) * 1_000));
    expect(await reports()).toHaveLength(1);
    expect((await fetchResults(walk, number)).pulls).toHaveLength(1);
  });

  it.each([
    ['agent:bugfix', 'agent/bugfix/1-login-broken', 'fix.txt', 'Fixes #1', 'for issue 1\n'],
    ['agent:small-job', 'agent/small/1-login-broken', 'fix.txt', 'Fixes #1', 'for issue 1\n'],
    [
      'agent:design',
      'agent/design/1-login-broken',
      'docs/design/1-login-broken.md',
      'Refs #1',
      'All of them.',
    ],
  ])(
    'the label %s produces one branch, one pull request and the expected files',
    async (label, branch, path, reference, text) => {
      walk = await createWalk({ sandbox: 'auto' });
      const number = await walk.openIssue(label);
      walk.startPoller();
      walk.startWorker();
      await expectStatus(number, 'awaiting_feedback');
      const { pulls, comments, pushes, forced } = await fetchResults(walk, number);
      expect(pulls.map(({ head }) => head.ref)).toEqual([branch]);
      expect(String(pulls[0]?.body)).toContain(`\n${reference}\n`);
      expect([comments.length, pushes, forced]).toEqual([1, 1, 0]);
      expect(await fileOf(path, branch)).toContain(text);
      const commit = await walk.alice.request('GET', `/repos/${REPO}/commits/${pulls[0]?.head.sha}`);
      expect(JSON.stringify(commit)).toMatch(/MergeXO-Turn: [0-9a-f]{64}/);
      const { author, committer } = Object(commit).commit;
      const email = `${Object(pulls[0]).user.id}+robot@users.noreply.localhost`;
      expect([author, committer]).toMatchObject([
        { name: 'robot', email },
        { name: 'robot', email },
      ]);
      expect(walk.agentCalls(number)).toBe(1);
      const session = walk.withState((state) => state.readSession(walk.runOf(number)?.id ?? 0));
      expect(session).toMatchObject({
        adapter: 'command',
        threadId: `thread-${number}`,
        stateSummary: 'all done',
      });
    },
  );

  it('commits with the configured email address', async () => {
    walk = await createWalk({ githubKeys: 'commit_email = "robot@acme.example"' });
    const number = await walk.openIssue('agent:small-job');
    walk.startPoller();
    walk.startWorker();
    await expectStatus(number, 'awaiting_feedback');
    const [pull] = (await fetchResults(walk, number)).pulls;
    const commit = await walk.alice.request('GET', `/repos/${REPO}/commits/${pull?.head.sha}`);
    const author = { name: 'robot', email: 'robot@acme.example' };
    expect(commit).toMatchObject({ commit: { author, committer: author } });
  });

  it('closes the issue on merge, even if the agent’s summary has an unclosed code block and <details> element', async () => {
    walk = await createWalk();
    const summary = '<details>\n<summary>Log</summary>\n\n~~~~\nnpm test';
    const number = await walk.openIssue('agent:bugfix', { change: { pr_summary: summary } });
    walk.startPoller();
    walk.startWorker();
    await expectStatus(number, 'awaiting_feedback');
    const [pull] = (await fetchResults(walk, number)).pulls;
    expect(String(pull?.body)).toContain(`${summary}\n~~~~\n\n</details>\n\nFixes #${number}\n`);
    await walk.alice.merge(REPO, Number(pull?.number));
    await expectStatus(number, 'merged');
    const issue = await walk.alice.request('GET', `/repos/${REPO}/issues/${number}`);
    expect(issue).toMatchObject({ state: 'closed' });
  });

  it('keeps a blocked start waiting for a reply, with the agent’s reason, instead of failing the run', async () => {
    walk = await createWalk();
    const number = await walk.openIssue('agent:bugfix', { blocked: 'Which login?' });
    walk.startPoller();
    walk.startWorker();
    await expectStatus(number, 'awaiting_issue_followup');
    const { pulls, comments, pushes } = await fetchResults(walk, number);
    // MergeXO pushes the partial work as a checkpoint.
    expect([pulls.length, comments.length, pushes]).toEqual([0, 1, 1]);
    expect(String(comments[0]?.body)).toContain('Which login?');
  });

  it('sends failing tests back to the agent, and commits no files that the tests left behind', async () => {
    walk = await createWalk({ sandbox: 'auto', repoKeys: 'required_tests = "test.sh"' });
    const test = '#!/bin/sh\ntouch left-behind.txt\ngrep -q right answer.txt\n';
    await walk.alice.pushFiles(REPO, 'main', { 'test.sh': test });
    const number = await walk.openIssue('agent:small-job', {
      files: { 'answer.txt': 'wrong\n' },
      repair: { 'answer.txt': 'right\n' },
    });
    walk.startPoller();
    walk.startWorker();
    await expectStatus(number, 'awaiting_feedback');
    expect(walk.agentCalls(number)).toBe(2);
    const branch = 'agent/small/1-login-broken';
    expect(await fileOf('answer.txt', branch)).toBe('right\n');
    const { pulls } = await fetchResults(walk, number);
    const files = await walk.alice.request('GET', `/repos/${REPO}/pulls/${pulls[0]?.number}/files`);
    expect(Array.isArray(files) && files.map(({ filename }) => filename)).toEqual(['answer.txt']);
  });

  it.each([
    ['a symlink to a file outside the slot', 'ln -s /etc/passwd users', 'rm users'],
    [
      'conflict markers',
      "printf '<<<<<<< a\\nx\\n=======\\ny\\n>>>>>>> b\\n' > x.txt; git add -A; git commit -qm mine",
      'rm x.txt',
    ],
    [
      'the merge of an unrelated history',
      [
        'own=$(git symbolic-ref --short HEAD) start=$(git rev-parse HEAD)',
        'git checkout -q --orphan fresh',
        'git commit -qm other',
        'git checkout -q $own',
        'git merge -q --allow-unrelated-histories -m join fresh',
      ].join(' && '),
      'git reset -q --soft HEAD^1',
    ],
  ])('sends %s back to the agent, and pushes only the repaired result', async (_name, first, second) => {
    walk = await createWalk();
    const number = await walk.openIssue('agent:small-job', { shell: [first, second] });
    walk.startPoller();
    walk.startWorker();
    await expectStatus(number, 'awaiting_feedback');
    expect(walk.agentCalls(number)).toBe(2);
    const { pulls, pushes } = await fetchResults(walk, number);
    const files = await walk.alice.request('GET', `/repos/${REPO}/pulls/${pulls[0]?.number}/files`);
    const commits = await walk.alice.request('GET', `/repos/${REPO}/pulls/${pulls[0]?.number}/commits`);
    expect(Array.isArray(files) && files.map(({ filename }) => filename)).toEqual(['fix.txt']);
    expect(Array.isArray(commits) && commits.length).toBe(1);
    expect(pushes).toBe(1);
  });

  it('calls no agent while the required tests cannot run, reports why once, and resumes after a reply', async () => {
    walk = await createWalk({ repoKeys: 'required_tests = "test.sh"' });
    const number = await walk.openIssue('agent:small-job');
    walk.startPoller();
    walk.startWorker();
    await expectStatus(number, 'awaiting_issue_followup');
    expect(walk.runOf(number)?.blockedKind).toBe('tests_unavailable');
    await eventually(async () => expect((await fetchResults(walk, number)).comments).toHaveLength(1));
    const { pulls, comments, pushes } = await fetchResults(walk, number);
    expect([pulls.length, pushes, walk.agentCalls(number)]).toEqual([0, 0, 0]);
    expect(String(comments[0]?.body)).toContain('test.sh does not exist');
    await walk.alice.pushFiles(REPO, 'main', { 'test.sh': '#!/bin/sh\nexit 0\n' });
    await walk.alice.comment(REPO, number, 'It is there now.');
    await expectStatus(number, 'awaiting_feedback');
    expect(walk.agentCalls(number)).toBe(1);
  });

  it('asks the agent for a test if the repository requires a test with every fix', async () => {
    walk = await createWalk({ repoKeys: String.raw`test_file_regex = '\.test\.js$'` });
    const number = await walk.openIssue('agent:bugfix');
    walk.startPoller();
    walk.startWorker();
    await expectStatus(number, 'awaiting_issue_followup');
    expect(walk.runOf(number)?.blockedKind).toBe('tests_missing');
  });

  it.each([
    ['an error before the push is applied', { kind: 'error', when: 'before', status: 503 }],
    ['a connection dropped before the push is applied', { kind: 'drop', when: 'before' }],
    ['a connection dropped after the push was applied', { kind: 'drop', when: 'after' }],
  ] as const)('pushes once despite %s', async (_name, fault) => {
    walk = await createWalk();
    const number = await walk.openIssue('agent:small-job');
    const armed = walk.twin.control.fault({ ...fault, route: 'GIT push' });
    walk.startPoller();
    walk.startWorker();
    await expectStatus(number, 'awaiting_feedback');
    expect(armed.hits()).toBe(1);
    const { pulls, comments, pushes, forced } = await fetchResults(walk, number);
    expect([pulls.length, comments.length, pushes, forced]).toEqual([1, 1, 1, 0]);
    expect(walk.agentCalls(number)).toBe(1);
  });

  it('finds an applied push even if the worker was killed before the response arrived', async () => {
    walk = await createWalk();
    const number = await walk.openIssue('agent:small-job');
    const hanging = walk.twin.control.fault({ route: 'GIT push', kind: 'hang', when: 'after' });
    walk.startPoller();
    const worker = walk.startWorker();
    await eventually(() => expect(hanging.hits()).toBe(1));
    await eventually(() => expect(walk.twin.history.list('ref').length).toBeGreaterThan(0));
    worker.kill('SIGKILL');
    walk.startWorker();
    await expectStatus(number, 'awaiting_feedback');
    const { pulls, comments, pushes } = await fetchResults(walk, number);
    expect([pulls.length, comments.length, pushes]).toEqual([1, 1, 1]);
    expect(walk.agentCalls(number)).toBe(1);
  });

  it('asks for a reply once if a rule of the remote rejects the push', async () => {
    walk = await createWalk();
    const number = await walk.openIssue('agent:small-job');
    walk.twin.control.fault({ route: 'GIT push', kind: 'refuse-push', times: null });
    walk.startPoller();
    walk.startWorker();
    await expectStatus(number, 'awaiting_issue_followup');
    await eventually(async () =>
      expect((await fetchResults(walk, number)).comments).toMatchObject([
        { body: expect.stringContaining('Reply on this issue to resume') },
      ]),
    );
    expect((await fetchResults(walk, number)).pulls).toEqual([]);
  });

  it('uses another branch name if somebody else already pushed to its branch', async () => {
    walk = await createWalk();
    const number = await walk.openIssue('agent:small-job');
    await walk.alice.pushFiles(REPO, 'agent/small/1-login-broken', { 'mine.txt': 'mine' });
    walk.startPoller();
    walk.startWorker();
    await expectStatus(number, 'awaiting_feedback');
    const { pulls } = await fetchResults(walk, number);
    expect(pulls.map(({ head }) => head.ref)).toEqual(['agent/small/1-login-broken-2']);
  });

  it('finishes all work with run --once and exits; explain shows the timeline', async () => {
    walk = await createWalk();
    const number = await walk.openIssue('agent:bugfix');
    const { code, output } = await walk.runCli('run', '--once');
    expect([code, output.slice(-2_000)]).toEqual([0, expect.stringContaining('Done. No work is left.')]);
    const { pulls, comments } = await fetchResults(walk, number);
    expect([pulls.length, comments.length]).toEqual([1, 1]);
    const story = await walk.runCli('explain', String(number));
    expect(story.output).toContain(`bugfix: awaiting_feedback, pull request #${pulls[0]?.number}`);
    expect(story.output).toContain('Turn complete');
    const unknown = await walk.runCli('explain', '99', '--json');
    expect(unknown.code).toBe(1);
    expect(JSON.parse(unknown.output)).toMatchObject({ ok: false });
  });

  it('refuses run --once while a poller is running', async () => {
    walk = await createWalk();
    await walk.ready(walk.startPoller(), 'poller is ready');
    const { code, output } = await walk.runCli('run', '--once');
    expect([code, output]).toEqual([
      1,
      expect.stringContaining('Another process is using this database: the poller with pid'),
    ]);
  });

  it('opens exactly one pull request for each of 20 issues with 4 workers, which never share a slot', async () => {
    walk = await createWalk({ limits: '[limits]\nmax_open_runs = 50' });
    const numbers = [];
    for (let i = 1; i <= 20; i += 1) {
      numbers.push(
        await walk.openIssue('agent:small-job', { files: { [`f${i}.txt`]: `${i}\n` } }, `Job ${i}`),
      );
    }
    walk.startPoller();
    for (let i = 0; i < 4; i += 1) walk.startWorker();
    for (const number of numbers) await expectStatus(number, 'awaiting_feedback');
    for (const number of numbers) {
      const { pulls, comments, pushes } = await fetchResults(walk, number);
      expect([number, pulls.length, comments.length, pushes]).toEqual([number, 1, 1, 1]);
      const files = await walk.alice.request('GET', `/repos/${REPO}/pulls/${pulls[0]?.number}/files`);
      expect(Array.isArray(files) && files.map(({ filename }) => filename)).toEqual([`f${number}.txt`]);
    }
  });
});
