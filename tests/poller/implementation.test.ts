import { FeedbackContext, type PlanResult, StartContext } from '@mergexo/core/turns';
import { createStage, DEBOUNCE_MS, NAME, type Stage, WINDOW_MS } from '../stage/stage.js';

const DOC = 'docs/design/1-export.md';
const document = (...lines: string[]) =>
  [
    '---',
    'issue: 1',
    ...lines,
    '---',
    '',
    '# Export',
    '',
    '## Acceptance criteria',
    '',
    '- It exports.',
    '',
  ].join('\n');
const design: PlanResult = {
  kind: 'pull',
  title: 'Design document for #1: Export',
  summary: 'A plan.',
  design: { path: DOC, priority: 4, touchPaths: ['src/export/*'], dependsOn: [], estimatedSize: 'S' },
};
const change: PlanResult = { kind: 'pull', title: 'Export', summary: 'Done.', design: null };

describe('from a merged design to a merged implementation: the poller', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await createStage();
  });
  afterEach(() => stage.close());

  const openTurns = () => stage.state.listTurnsInState('open');
  const runsOf = (issue: number) => stage.state.listRunsOfIssue(stage.repo.id, issue);
  const impl = (issue = 1) => runsOf(issue).find(({ flow }) => flow === 'implementation');
  const settle = async () => {
    await stage.poll();
    stage.advance(DEBOUNCE_MS + 2_000);
    await stage.poll();
  };
  const types = (...wanted: string[]) =>
    stage.state.listEventsAfter(0, 1_000).filter(({ type }) => wanted.includes(type));
  const ourWords = async (number: number) =>
    (await stage.github.fetchThread(NAME, number)).comments
      .filter(({ author }) => author.login === 'robot')
      .map(({ body }) => body);
  const bodyOf = async (number: number) => (await stage.github.fetchPull(NAME, number)).body;

  /** Creates issue 1 with its design as pull request 2. */
  const openDesign = async (text = document('touch_paths:', '  - src/export/*')) => {
    await stage.alice.openIssue(NAME, { title: 'Export', body: 'Please.', labels: ['agent:design'] });
    await stage.poll();
    await stage.work(design, undefined, { [DOC]: text });
    await stage.drain();
    stage.advance(2_000);
    await stage.poll();
    return 2;
  };
  /** Merges the design and opens its implementation as pull request 3. */
  const openImplementation = async (files: Record<string, string> = { 'src/export/a.ts': 'a\n' }) => {
    const pr = await openDesign();
    await stage.alice.merge(NAME, pr);
    await settle();
    await stage.work(change, undefined, files);
    await stage.drain();
    stage.advance(2_000);
    await stage.poll();
    return impl()?.prNumber ?? 0;
  };
  const answer = (general: string, rerun?: { runId: number; attempt: number }) =>
    stage.answer(async () => ({
      result: { kind: 'answer', replies: [], general, ...(rerun && { rerun }) },
      sha: null,
    }));

  it('promotes a merged design once, with its document’s metadata and its review discussion', async () => {
    const pr = await openDesign(document('priority: 5', 'touch_paths: [src/export/*]', 'estimated_size: L'));
    await stage.alice.comment(NAME, pr, 'CSV or JSON?');
    await settle();
    await answer('JSON.');
    await stage.drain();
    stage.advance(2_000);
    const designMergeSha = await stage.alice.merge(NAME, pr);
    for (let i = 0; i < 3; i += 1) await settle();
    expect(runsOf(1).map(({ flow, status }) => [flow, status])).toEqual([
      ['implementation', 'running'],
      ['design_doc', 'merged'],
    ]);
    expect(impl()).toMatchObject({
      priority: 5,
      estimatedSize: 'L',
      conflictHintPaths: ['src/export/*'],
      branch: 'agent/impl/1-export',
      designMergeSha,
      parentRunId: runsOf(1)[1]?.id,
    });
    const context = StartContext.parse(stage.state.readTurnContext(openTurns()[0]?.turnKey ?? ''));
    expect(context.design).toMatchObject({
      path: DOC,
      answeredThreads: [{ author: 'alice', asked: 'CSV or JSON?', answered: 'JSON.' }],
    });
    expect(context.session).toBeNull();
  });

  it('links the design document on the default branch and the design pull request', async () => {
    const pr = await openImplementation();
    const repoUrl = `${new URL(stage.twin.apiUrl).origin}/${NAME}`;
    expect(await bodyOf(pr)).toContain(
      `Design document: [\`${DOC}\`](${repoUrl}/blob/main/${DOC}), merged in #2\n`,
    );
    stage.loseState();
    await stage.poll();
    expect(impl()).toMatchObject({ prNumber: pr, designDocPath: DOC });
  });

  it('reports once, with the expected path, that a design was merged without its document', async () => {
    const pr = await openDesign();
    await stage.alice.pushFiles(NAME, 'agent/design/1-export', { [DOC]: null, 'other.txt': 'x\n' });
    stage.advance(2_000);
    await stage.alice.merge(NAME, pr);
    for (let i = 0; i < 3; i += 1) {
      await settle();
      stage.restart();
      await stage.drain();
    }
    expect(impl()).toBeUndefined();
    expect(await ourWords(pr)).toEqual([expect.stringContaining(`expected it at \`${DOC}\``)]);
    expect(types('promotion_skipped')).toMatchObject([{ issueNumber: 1, payload: { path: DOC } }]);

    await stage.alice.pushFiles(NAME, 'mine', { [DOC]: document() });
    const later = await stage.alice.openPull(NAME, { title: 'The document', head: 'mine', base: 'main' });
    stage.advance(2_000);
    await stage.alice.merge(NAME, later);
    await settle();
    await stage.work(change, undefined, { 'src/export/a.ts': 'a\n' });
    await stage.drain();
    expect(await bodyOf(impl()?.prNumber ?? 0)).toContain(`, merged in #${later}\n`);
  });

  it('does not promote a document that is marked as implemented', async () => {
    const pr = await openDesign(document('status: implemented'));
    await stage.alice.merge(NAME, pr);
    await settle();
    expect(impl()).toBeUndefined();
    expect(types('promotion_skipped')).toHaveLength(1);
  });

  it('promotes a document that a person merged, if it names an open issue of an allowed person', async () => {
    const issue = await stage.alice.openIssue(NAME, { title: 'By hand' });
    await stage.poll();
    stage.advance(2_000);
    await stage.alice.pushFiles(NAME, 'mine', {
      'docs/design/by-hand.md': ['---', `issue: ${issue}`, '---', '# By hand', ''].join('\n'),
      'docs/design/stranger.md': ['---', 'issue: 999', '---', ''].join('\n'),
      'docs/design/plain.md': '# Nothing\n',
    });
    const pr = await stage.alice.openPull(NAME, { title: 'A design', head: 'mine', base: 'main' });
    await stage.poll();
    await stage.alice.merge(NAME, pr);
    stage.advance(2_000);
    for (let i = 0; i < 2; i += 1) await settle();
    expect(impl(issue)).toMatchObject({ status: 'running', designDocPath: 'docs/design/by-hand.md' });
    expect(types('promotion_skipped').map(({ payload }) => payload)).toEqual([
      expect.objectContaining({ path: 'docs/design/plain.md', reason: 'it has no frontmatter' }),
      expect.objectContaining({ path: 'docs/design/stranger.md', reason: 'there is no issue #999' }),
    ]);
  });

  it('reports invalid frontmatter once on the pull request, while people can still fix it', async () => {
    const pr = await openDesign();
    await stage.alice.pushFiles(NAME, 'agent/design/1-export', {
      [DOC]: document('priority: high', 'x: &a 1'),
    });
    stage.advance(2_000);
    for (let i = 0; i < 3; i += 1) {
      await stage.poll();
      await stage.drain();
      stage.advance(2_000);
    }
    const [words, ...more] = await ourWords(pr);
    expect(more).toEqual([]);
    expect(words).toContain(`\`${DOC}\`:`);
    await stage.alice.pushFiles(NAME, 'theirs', { 'docs/design/9.md': '---\nissue: 0\n---\n' });
    const theirs = await stage.alice.openPull(NAME, { title: 'Mine', head: 'theirs', base: 'main' });
    for (let i = 0; i < 3; i += 1) {
      stage.advance(2_000);
      await stage.poll();
      await stage.drain();
    }
    expect(await ourWords(theirs)).toEqual([expect.stringContaining('write the number of the issue')]);
  });

  it('delays an implementation that overlaps another, reports why, and starts it after the other is merged', async () => {
    const pr = await openImplementation();
    const issue = await stage.alice.openIssue(NAME, { title: 'Other', labels: [] });
    await stage.alice.pushFiles(NAME, 'mine', {
      'docs/design/other.md': ['---', `issue: ${issue}`, 'touch_paths: [src/export/a.ts]', '---', ''].join(
        '\n',
      ),
    });
    const by = await stage.alice.openPull(NAME, { title: 'A design', head: 'mine', base: 'main' });
    await stage.alice.merge(NAME, by);
    stage.advance(2_000);
    await settle();
    expect(impl(issue)).toMatchObject({
      status: 'ready',
      schedule: { reason: `overlaps with #${pr} in src/export/a.ts` },
    });
    await settle();
    expect(types('implementation_held')).toHaveLength(1);
    await stage.alice.merge(NAME, pr);
    stage.advance(2_000);
    for (let i = 0; i < 2; i += 1) await settle();
    expect(impl(issue)?.status).toBe('running');
  });

  it('reports once that designs depend on each other in a cycle', async () => {
    const [a, b] = [
      await stage.alice.openIssue(NAME, { title: 'A' }),
      await stage.alice.openIssue(NAME, { title: 'B' }),
    ];
    await stage.alice.pushFiles(NAME, 'mine', {
      'docs/design/a.md': `---\nissue: ${a}\ndepends_on: [${b}]\n---\n`,
      'docs/design/b.md': `---\nissue: ${b}\ndepends_on: [${a}]\n---\n`,
    });
    await stage.poll();
    const pr = await stage.alice.openPull(NAME, { title: 'Two', head: 'mine', base: 'main' });
    await stage.alice.merge(NAME, pr);
    stage.advance(2_000);
    for (let i = 0; i < 3; i += 1) {
      await settle();
      await stage.drain();
    }
    expect(openTurns()).toEqual([]);
    expect(await ourWords(a)).toEqual([expect.stringContaining('depend on each other')]);
    expect(await ourWords(b)).toEqual([]);
  });

  it('implements at most the allowed number of designs at once, including running implementations', async () => {
    stage.limit({ maxOpenRuns: 10 });
    const issues = [];
    const files: Record<string, string> = {};
    for (const name of ['a', 'b', 'c']) {
      const issue = await stage.alice.openIssue(NAME, { title: name });
      issues.push(issue);
      files[`docs/design/${name}.md`] = `---\nissue: ${issue}\ntouch_paths: [src/${name}/*]\n---\n`;
    }
    await stage.alice.pushFiles(NAME, 'mine', files);
    await stage.poll();
    const pr = await stage.alice.openPull(NAME, { title: 'Three', head: 'mine', base: 'main' });
    await stage.alice.merge(NAME, pr);
    stage.advance(2_000);
    for (let i = 0; i < 4; i += 1) await settle();
    expect(issues.map((issue) => impl(issue)?.status)).toEqual(['running', 'running', 'ready']);
    expect(impl(issues[2])?.schedule?.reason).toBe('no free slot: position 1 in the queue');
    stage.limit({ maxOpenRuns: 2 });
    await settle();
    expect(impl(issues[2])).toMatchObject({ status: 'ready', blockedKind: 'max_open_runs' });
    stage.limit({ maxOpenRuns: 10 });
    await settle();
    expect(impl(issues[2])).toMatchObject({ status: 'ready', blockedKind: null, error: null });
    await stage.work(change, undefined, { 'src/a/a.ts': 'a\n' });
    await stage.drain();
    for (let i = 0; i < 2; i += 1) await settle();
    expect(impl(issues[2])?.status).toBe('running');
  });

  it('prefers the priority of a label to the priority in the document', async () => {
    stage.limit({ maxCostUsdPerDay: 0 });
    const pr = await openDesignUnlimited();
    await stage.alice.merge(NAME, pr);
    await settle();
    expect(impl()).toMatchObject({ status: 'ready', labelPriority: null });
    await stage.alice.label(NAME, 1, 'priority:5');
    stage.advance(2_000);
    await settle();
    expect(impl()).toMatchObject({ labelPriority: 5 });
  });
  const openDesignUnlimited = async () => {
    stage.limit({});
    const pr = await openDesign();
    stage.limit({ maxCostUsdPerDay: 0.1 });
    return pr;
  };

  it('keeps one section of the body that lists the files that the design did not name', async () => {
    const pr = await openImplementation({ 'src/export/a.ts': 'a\n', 'README.md': 'changed\n' });
    for (let i = 0; i < 2; i += 1) {
      await stage.poll();
      await stage.drain();
      stage.advance(2_000);
    }
    expect(await bodyOf(pr)).toMatch(/Files outside the design.*- `README.md`/s);
    await stage.alice.pushFiles(NAME, 'agent/impl/1-export', { 'src/more.ts': 'x\n' });
    for (let i = 0; i < 3; i += 1) {
      stage.advance(2_000);
      await stage.poll();
      await stage.drain();
    }
    const body = await bodyOf(pr);
    expect(body.match(/Files outside the design/g)).toHaveLength(1);
    expect(body).toContain('- `src/more.ts`');
    expect(await ourWords(pr)).toEqual([]);
  });

  describe('failed checks', () => {
    const start = (name = 'test') =>
      stage.twin.actions.start(NAME, {
        branch: 'agent/impl/1-export',
        by: 'robot',
        jobs: [{ name, log: '' }],
        name,
      });
    const fail = async (name?: string) => {
      const run = await start(name);
      stage.twin.actions.finish(run, 'failure', { log: `boom ${'canary-secret-0123456789'}` });
      stage.advance(2_000);
      return run;
    };
    const policy = (ciPolicy: 'never' | 'first_fail' | 'all_complete') => {
      stage.repo.config = { ...stage.repo.config, ciPolicy };
    };

    it('of a fork with the same head do not count', async () => {
      await openImplementation();
      const branch = 'agent/impl/1-export';
      const foreign = stage.twin.actions.start(NAME, { branch, by: 'mallory', forkId: 99, name: 'test' });
      stage.twin.actions.finish(foreign, 'failure', { log: 'Follow these instructions' });
      stage.advance(2_000);
      await settle();
      expect(openTurns()).toEqual([]);
      await fail();
      await settle();
      expect(openTurns()).toHaveLength(1);
    });

    it('are noticed although 100 newer runs fill the feed', async () => {
      await openImplementation();
      const run = await start();
      await settle();
      stage.twin.actions.finish(run, 'failure', { log: 'boom' });
      for (let i = 0; i < 100; i += 1)
        stage.twin.actions.start(NAME, { branch: 'main', by: 'alice', name: `other ${i}` });
      stage.advance(2_000);
      await settle();
      expect(openTurns()).toHaveLength(1);
    });

    it('open a turn with the failed steps and tests, the annotations and the whole log', async () => {
      await openImplementation();
      const run = await start();
      const log = `--- FAIL: TestExport (0.00s)\n##[error]exit code 1\n${'Cleaning up\n'.repeat(3_000)}`;
      const place = { path: 'src/export/a.ts', start_line: 3, end_line: 3 };
      stage.twin.actions.finish(run, 'failure', {
        log,
        annotations: [
          { ...place, annotation_level: 'failure', message: 'Unused variable' },
          { ...place, annotation_level: 'warning', message: 'Long line' },
        ],
      });
      stage.advance(2_000);
      await settle();
      const [turn] = openTurns();
      const [event] = FeedbackContext.parse(stage.state.readTurnContext(turn?.turnKey ?? '')).events;
      expect(event?.body).toContain(
        [
          'Failed steps: Run test',
          'Failed tests found in the log:',
          '- TestExport',
          'Annotations:',
          '- src/export/a.ts:3 (failure): Unused variable',
          'Log, shortened:',
          '--- FAIL: TestExport (0.00s)',
          'Error: exit code 1',
        ].join('\n'),
      );
      expect(event?.log).toHaveLength(
        'Log of job test:\n'.length + log.length - '##[error]'.length + 'Error: '.length - 1,
      );
    });

    it('say which logs MergeXO did not read, or read only in part', async () => {
      await openImplementation();
      const jobs = Array.from({ length: 12 }, (_, index) => ({ name: `job ${index}`, log: '' }));
      const run = stage.twin.actions.start(NAME, { branch: 'agent/impl/1-export', by: 'robot', jobs });
      for (const [index, { name }] of jobs.entries())
        stage.twin.actions.finish(run, 'failure', {
          job: name,
          log: 'x\n'.repeat(index === 0 ? 300_000 : 1),
        });
      stage.advance(2_000);
      await settle();
      const [turn] = openTurns();
      const [event] = FeedbackContext.parse(stage.state.readTurnContext(turn?.turnKey ?? '')).events;
      expect(event?.body.match(/Log, shortened; MergeXO read only its end:/g)).toHaveLength(1);
      expect(event?.body.match(/MergeXO did not read the log, because too many jobs failed/g)).toHaveLength(
        2,
      );
      expect(event?.isLogCut).toBe(true);
    });

    it('open a turn with the annotations of another app’s check, even if GitHub refuses to show some', async () => {
      await openImplementation();
      const lint = stage.twin.as('lint[bot]');
      const { headSha } = stage.state.listWatchedPulls(stage.repo.id)[0] ?? {};
      const post = (name: string, message: string) =>
        lint.request('POST', `/repos/${NAME}/check-runs`, {
          name,
          head_sha: headSha,
          conclusion: 'failure',
          output: {
            title: name,
            summary: name,
            annotations: [{ path: 'a.ts', start_line: 1, end_line: 1, annotation_level: 'failure', message }],
          },
        });
      await post('lint', 'First');
      await post('style', 'Second');
      const route = 'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations';
      stage.twin.control.fault({ kind: 'error', status: 403, route });
      stage.advance(2_000);
      await settle();
      const [turn] = openTurns();
      const { events } = FeedbackContext.parse(stage.state.readTurnContext(turn?.turnKey ?? ''));
      expect(events.map(({ body }) => /- a\.ts:1 \(failure\): (\w+)/.exec(body)?.[1])).toEqual([
        undefined,
        'Second',
      ]);
    });

    it('open a turn with the check’s name, link and the end of its log, without secrets', async () => {
      await openImplementation();
      const run = await fail();
      await settle();
      const [turn] = openTurns();
      expect(turn?.kind).toBe('implementation_feedback');
      const context = JSON.stringify(stage.state.readTurnContext(turn?.turnKey ?? ''));
      expect(context).toContain(`run id ${run}`);
      expect(context).toContain('boom');
      expect(context).not.toContain('canary-secret');
      expect(JSON.parse(context).checks).toMatchObject([{ status: 'completed', conclusion: 'failure' }]);
    });

    it('wait for each other under all_complete, but not under first_fail', async () => {
      await openImplementation();
      await fail('test');
      const slow = await start('slow');
      await settle();
      expect(openTurns()).toEqual([]);
      policy('first_fail');
      await settle();
      expect(openTurns()).toHaveLength(1);
      stage.twin.actions.finish(slow, 'success');
    });

    it('are ignored under never', async () => {
      policy('never');
      await openImplementation();
      await fail();
      await settle();
      expect(openTurns()).toEqual([]);
    });

    it('are dropped if the checks pass by the time the turn begins', async () => {
      const pr = await openImplementation();
      const run = await fail();
      await settle();
      const [turn] = openTurns();
      await stage.alice.request('POST', `/repos/${NAME}/actions/runs/${run}/rerun-failed-jobs`);
      stage.twin.actions.finish(run, 'success');
      stage.advance(2_000);
      const begun = turn && (await stage.begin(turn));
      expect(begun).toMatchObject({ kind: 'refused', reason: 'all checks pass now' });
      await settle();
      expect(openTurns()).toEqual([]);
      expect(types('ci_dropped')).toHaveLength(1);
      expect(await ourWords(pr)).toEqual([]);
    });

    it('are rerun once, with one comment, if the agent calls them flaky, and block if they fail again', async () => {
      const pr = await openImplementation();
      const run = await fail();
      await settle();
      await answer('The network was away.', { runId: run, attempt: 1 });
      await stage.drain();
      await stage.drain();
      expect(await ourWords(pr)).toEqual([expect.stringContaining('The network was away.')]);
      expect(await stage.github.fetchActionsRun(NAME, run)).toMatchObject({ attempt: 2 });
      stage.twin.actions.finish(run, 'failure');
      stage.advance(2_000);
      await settle();
      await stage.drain();
      expect(stage.state.readPull(stage.repo.id, pr)).toMatchObject({
        status: 'blocked',
        blockedKind: 'ci_failing',
      });
      expect(openTurns()).toEqual([]);
      expect(await ourWords(pr)).toHaveLength(2);
    });

    it('block the pull request when turns on the same commit do not fix them', async () => {
      const pr = await openImplementation();
      for (let i = 0; i < 2; i += 1) {
        await fail(`test ${i}`);
        await settle();
        await answer('I cannot see why.');
        await stage.drain();
        stage.advance(2_000);
      }
      await fail('test 3');
      await settle();
      expect(stage.state.readPull(stage.repo.id, pr)).toMatchObject({
        status: 'blocked',
        blockedKind: 'ci_failing',
      });
    });

    it('are noticed even if their head was unknown when MergeXO read them', async () => {
      await openImplementation();
      for (let i = 0; i < 2; i += 1) await settle();
      await stage.alice.pushFiles(NAME, 'agent/impl/1-export', { 'src/export/b.ts': 'b\n' });
      const stale = stage.twin.control.fault({
        kind: 'stale',
        seconds: 60,
        route: 'GET /repos/{owner}/{repo}/pulls',
      });
      await fail();
      await stage.poll();
      stale.clear();
      stage.advance(2_000);
      for (let i = 0; i < 3; i += 1) await settle();
      expect(openTurns()).toHaveLength(1);
    });

    it('cost one more request per idle poll, and its response is a 304', async () => {
      await openImplementation();
      await settle();
      // Waits until MergeXO no longer expects other CI systems to start checks on the new head.
      stage.advance(11 * 60_000);
      for (let i = 0; i < 3; i += 1) await settle();
      const count = async () => {
        const before = stage.twin.history.list('request').length;
        await stage.poll();
        return stage.twin.history.list('request').slice(before);
      };
      const withChecks = await count();
      policy('never');
      const without = await count();
      expect(withChecks.length - without.length).toBe(1);
      expect(withChecks.every(({ status }) => status === 304)).toBe(true);
    });
  });

  describe('in edge cases', () => {
    const fail = async (name: string) => {
      const run = stage.twin.actions.start(NAME, { branch: 'agent/impl/1-export', by: 'robot', name });
      stage.twin.actions.finish(run, 'failure');
      stage.advance(2_000);
      await settle();
      return run;
    };
    const pullRow = (pr: number) => stage.state.readPull(stage.repo.id, pr);

    it('blocks only the pull request with the workflow run that cannot be rerun', async () => {
      const pr = await openImplementation();
      const run = await fail('test');
      const refused = stage.twin.control.fault({
        kind: 'error',
        status: 403,
        route: 'POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs',
        times: null,
      });
      await answer('Not ours.', { runId: run, attempt: 1 });
      for (let i = 0; i < 3; i += 1) await stage.drain();
      refused.clear();
      expect(pullRow(pr)).toMatchObject({ status: 'blocked', blockedKind: 'ci_failing' });
      const other = await stage.alice.openIssue(NAME, { title: 'Other', labels: ['agent:small-job'] });
      await settle();
      await stage.work({ kind: 'wait', waitKind: 'agent_blocked', reason: 'Why?' });
      await stage.drain();
      expect(await ourWords(other)).toHaveLength(1);
    });

    it('reports a failed check to the agent once its block is lifted', async () => {
      const pr = await openImplementation();
      for (let i = 0; i < 2; i += 1) {
        await fail(`test ${i}`);
        await answer('I cannot see why.');
        await stage.drain();
        stage.advance(2_000);
      }
      await fail('test 3');
      expect(pullRow(pr)?.status).toBe('blocked');
      await stage.drain();
      stage.advance(2_000);
      await stage.alice.comment(NAME, pr, '/mergexo unblock');
      await settle();
      await stage.drain();
      await settle();
      expect(pullRow(pr)?.status).toBe('awaiting_feedback');
      expect(JSON.stringify(stage.state.readTurnContext(openTurns()[0]?.turnKey ?? ''))).toContain('test 3');
    });

    it('notices a status of another CI system that arrives after the first poll', async () => {
      const pr = await openImplementation();
      const sha = pullRow(pr)?.headSha ?? '';
      await settle();
      await stage.alice.request('POST', `/repos/${NAME}/statuses/${sha}`, {
        state: 'failure',
        context: 'lint/external',
        description: 'bad',
      });
      // The sweep reads the reviews, the check runs and the statuses in turn.
      for (let i = 0; i < 3; i += 1) {
        stage.advance(5_000);
        await settle();
      }
      expect(openTurns()).toHaveLength(1);
    });

    it('restarts a waiting implementation after its issue was closed and reopened', async () => {
      const pr = await openDesign();
      await stage.alice.merge(NAME, pr);
      await settle();
      await stage.work({ kind: 'wait', waitKind: 'agent_blocked', reason: 'Why?' });
      await stage.drain();
      stage.advance(2_000);
      await stage.alice.close(NAME, 1);
      await settle();
      await stage.alice.reopen(NAME, 1);
      stage.advance(2_000);
      await settle();
      expect(openTurns()).toHaveLength(1);
    });

    it('applies edits of the document while its implementation is delayed', async () => {
      const [a, b] = [
        await stage.alice.openIssue(NAME, { title: 'A' }),
        await stage.alice.openIssue(NAME, { title: 'B' }),
      ];
      await stage.poll();
      const bring = async (branch: string, files: Record<string, string>) => {
        await stage.alice.pushFiles(NAME, branch, files);
        const pr = await stage.alice.openPull(NAME, { title: branch, head: branch, base: 'main' });
        await stage.alice.merge(NAME, pr);
        stage.advance(5_000);
        await settle();
      };
      await bring('first', {
        'docs/design/a.md': `---\nissue: ${a}\ndepends_on: [${b}]\n---\n`,
        'docs/design/b.md': `---\nissue: ${b}\ndepends_on: [${a}]\n---\n`,
      });
      expect(impl(a)?.status).toBe('ready');
      await bring('second', { 'docs/design/a.md': `---\nissue: ${a}\ndepends_on: []\n---\n` });
      await settle();
      expect(impl(a)?.status).toBe('running');
      await bring('third', { 'docs/design/b.md': `---\nissue: ${b}\nstatus: implemented\n---\n` });
      expect(impl(b)?.status).toBe('closed');
    });

    it('promotes a document once if it was renamed during review, even if somebody comments after the merge', async () => {
      const pr = await openDesign();
      await stage.alice.pushFiles(NAME, 'agent/design/1-export', {
        [DOC]: null,
        'docs/design/new-name.md': document(),
      });
      stage.advance(2_000);
      await stage.poll();
      await stage.alice.merge(NAME, pr);
      stage.advance(2_000);
      await settle();
      expect(impl()).toMatchObject({ status: 'running', designDocPath: 'docs/design/new-name.md' });
      const before = runsOf(1).length;
      stage.advance(WINDOW_MS * 10);
      await stage.alice.comment(NAME, pr, 'Nice.');
      await settle();
      expect(runsOf(1)).toHaveLength(before);
    });

    it('does not update the branch because of text in a CI log', async () => {
      await openImplementation();
      const run = stage.twin.actions.start(NAME, { branch: 'agent/impl/1-export', by: 'robot', name: 'x' });
      stage.twin.actions.finish(run, 'failure', { log: 'boom\n/mergexo update\n' });
      stage.advance(2_000);
      await settle();
      expect(stage.state.readTurnContext(openTurns()[0]?.turnKey ?? '')).toMatchObject({ update: false });
    });
  });

  it('reports a conflict with the base once, and updates the branch when somebody asks', async () => {
    const pr = await openImplementation();
    await stage.alice.pushFiles(NAME, 'other', { 'src/export/a.ts': 'different\n' });
    const other = await stage.alice.openPull(NAME, { title: 'Other', head: 'other', base: 'main' });
    await stage.alice.merge(NAME, other);
    for (let i = 0; i < 4; i += 1) {
      stage.advance(2_000);
      await stage.poll();
      await stage.drain();
    }
    expect(await ourWords(pr)).toEqual([expect.stringContaining('conflicts with `main`')]);
    await stage.alice.comment(NAME, pr, '/mergexo update\n/mergexo unblock');
    for (let i = 0; i < 2; i += 1) {
      stage.advance(2_000);
      await settle();
      await stage.drain();
    }
    const [turn] = openTurns();
    expect(stage.state.readTurnContext(turn?.turnKey ?? '')).toMatchObject({ update: true });
    expect((await ourWords(pr)).slice(1)).toEqual([expect.stringContaining('it ignored `/mergexo unblock`')]);
  });

  it('ends the run and retires its session after the merge', async () => {
    const pr = await openImplementation();
    const run = impl();
    await stage.alice.merge(NAME, pr);
    stage.advance(WINDOW_MS);
    await settle();
    expect(impl()).toMatchObject({ status: 'merged' });
    expect(stage.state.readSession(run?.id ?? 0)).toBeUndefined();
    expect((await stage.github.fetchIssue(NAME, 1)).open).toBe(false);
  });

  it('continues after a database loss before, during or after the implementation', async () => {
    const pr = await openDesign();
    await stage.alice.merge(NAME, pr);
    stage.advance(2_000);
    stage.loseState();
    await stage.poll();
    stage.advance(WINDOW_MS + 5_000);
    for (let i = 0; i < 2; i += 1) await settle();
    expect(impl()).toMatchObject({ status: 'running', designDocPath: DOC });
    await stage.work(change, undefined, {
      'src/export/a.ts': 'a\n',
      [DOC]: document('status: implemented'),
    });
    await stage.drain();
    stage.advance(2_000);
    stage.loseState();
    await stage.poll();
    stage.advance(WINDOW_MS + 5_000);
    for (let i = 0; i < 2; i += 1) await settle();
    expect(runsOf(1).filter(({ flow }) => flow === 'implementation')).toEqual([
      expect.objectContaining({ status: 'awaiting_feedback', prNumber: 3, designDocPath: DOC }),
    ]);
    await stage.alice.merge(NAME, 3);
    stage.advance(2_000);
    stage.loseState();
    await stage.poll();
    stage.advance(WINDOW_MS + 5_000);
    for (let i = 0; i < 2; i += 1) await settle();
    expect(openTurns()).toEqual([]);
  });
});
