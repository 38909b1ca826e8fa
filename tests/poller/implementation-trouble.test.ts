import type { PlanResult } from '@mergexo/core/turns';
import { createStage, DEBOUNCE_MS, NAME, type Stage, WINDOW_MS } from '../stage/stage.js';

const change: PlanResult = { kind: 'pull', title: 'Export', summary: 'Done.', design: null };
const FETCH_PULL = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';

describe('from a merged design to a merged implementation, during races and failures: the poller', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await createStage();
    await stage.poll();
  });
  afterEach(() => stage.close());

  const openTurns = () => stage.state.listTurnsInState('open');
  const impl = (issue: number) =>
    stage.state.listRunsOfIssue(stage.repo.id, issue).find(({ flow }) => flow === 'implementation');
  const settle = async () => {
    stage.advance(2_000);
    await stage.poll();
    stage.advance(DEBOUNCE_MS + 2_000);
    await stage.poll();
  };
  const openIssue = (title: string) => stage.alice.openIssue(NAME, { title });
  const propose = async (branch: string, files: Record<string, string | null>) => {
    await stage.alice.pushFiles(NAME, branch, files);
    return stage.alice.openPull(NAME, { title: branch, head: branch, base: 'main' });
  };
  /** Merges a pull request by a person, and polls until MergeXO has recorded the merge. */
  const bring = async (branch: string, files: Record<string, string | null>) => {
    await stage.alice.merge(NAME, await propose(branch, files));
    for (let i = 0; i < 2; i += 1) await settle();
  };
  const document = (issue: number, ...lines: string[]) =>
    ['---', `issue: ${issue}`, ...lines, '---', '# A plan', ''].join('\n');
  /** Merges a design for the issue, and opens the pull request of its implementation. */
  const implement = async (issue: number, files: Record<string, string> = { 'src/a.ts': 'a\n' }) => {
    await bring(`design-${issue}`, {
      [`docs/design/${issue}.md`]: document(issue, 'touch_paths: [src/a.ts]'),
    });
    await stage.work(change, undefined, files);
    await stage.drain();
    await settle();
    return impl(issue)?.prNumber ?? 0;
  };
  const report = (sha: string, state: string, context = 'lint/external') =>
    stage.alice.request('POST', `/repos/${NAME}/statuses/${sha}`, { state, context, description: 'so' });
  const pullRow = (pr: number) => stage.state.readPull(stage.repo.id, pr);

  it('promotes a merged design even if GitHub shows the merge late', async () => {
    const issue = await openIssue('Export');
    const pr = await propose('mine', { 'docs/design/a.md': document(issue) });
    await settle();
    stage.advance(60_000);
    await stage.alice.merge(NAME, pr);
    const stale = stage.twin.control.fault({ kind: 'stale', seconds: 45, route: FETCH_PULL, times: null });
    for (let i = 0; i < 2; i += 1) await settle();
    expect(impl(issue)).toBeUndefined();
    stale.clear();
    for (let i = 0; i < 2; i += 1) await settle();
    expect(impl(issue)).toMatchObject({ status: 'running' });
  });

  it('notices the merge of its own pull request even if GitHub shows the merge late, and does nothing else', async () => {
    const issue = await openIssue('Export');
    const pr = await implement(issue);
    stage.advance(60_000);
    await stage.alice.merge(NAME, pr);
    const stale = stage.twin.control.fault({ kind: 'stale', seconds: 45, route: FETCH_PULL, times: null });
    for (let i = 0; i < 2; i += 1) await settle();
    expect(impl(issue)).toMatchObject({ status: 'awaiting_feedback' });
    stale.clear();
    await settle();
    expect(impl(issue)).toMatchObject({ status: 'merged' });
  });

  it('keeps a delayed implementation if an edit breaks the frontmatter, and ends it once the status is implemented', async () => {
    const [first, second] = [await openIssue('First'), await openIssue('Second')];
    await implement(first);
    const path = 'docs/design/held.md';
    await bring('held', { [path]: document(second, 'touch_paths: [src/a.ts]') });
    expect(impl(second)).toMatchObject({ status: 'ready' });
    await bring('broken', { [path]: '# A plan without its head\n' });
    expect(impl(second)).toMatchObject({ status: 'ready' });
    await bring('done', { [path]: document(second, 'status: implemented') });
    expect(impl(second)).toMatchObject({ status: 'closed' });
  });

  it('keeps track of a document that is renamed while its implementation is delayed', async () => {
    const [first, second] = [await openIssue('First'), await openIssue('Second')];
    await implement(first);
    const text = document(second, 'touch_paths: [src/a.ts]');
    await bring('held', { 'docs/design/old.md': text });
    await bring('renamed', { 'docs/design/old.md': null, 'docs/design/new.md': text });
    expect(impl(second)).toMatchObject({ status: 'ready', designDocPath: 'docs/design/new.md' });
  });

  it('starts dependents of a document that people implemented themselves', async () => {
    const [first, second, third] = [await openIssue('A'), await openIssue('B'), await openIssue('C')];
    await implement(first);
    await bring('b', { 'docs/design/b.md': document(second, 'touch_paths: [src/a.ts]') });
    await bring('c', { 'docs/design/c.md': document(third, 'depends_on: [docs/design/b.md]') });
    expect(impl(third)).toMatchObject({ status: 'ready' });
    await bring('by-hand', { 'docs/design/b.md': document(second, 'status: implemented') });
    expect(impl(third)).toMatchObject({ status: 'running' });
  });

  it('keeps an implementation waiting for a reply after a database loss', async () => {
    const issue = await openIssue('Export');
    await stage.alice.comment(NAME, issue, '/mergexo design');
    await settle();
    const path = `docs/design/${issue}-export.md`;
    const facts = { path, priority: 3, touchPaths: [], dependsOn: [], estimatedSize: 'S' as const };
    await stage.work({ ...change, design: facts }, undefined, { [path]: document(issue) });
    await stage.drain();
    await settle();
    await stage.alice.merge(NAME, 2);
    for (let i = 0; i < 2; i += 1) await settle();
    await stage.work({ kind: 'wait', waitKind: 'agent_blocked', reason: 'CSV or JSON?' });
    await stage.drain();
    stage.loseState();
    await stage.poll();
    stage.advance(WINDOW_MS);
    for (let i = 0; i < 3; i += 1) await settle();
    expect(impl(issue)).toMatchObject({ status: 'awaiting_issue_followup' });
    expect(openTurns()).toEqual([]);
  });

  it('does not delay other work if the files of a pull request cannot be listed', async () => {
    const [first, second] = [await openIssue('First'), await openIssue('Second')];
    const pr = await implement(first);
    await stage.alice.pushFiles(NAME, impl(first)?.branch ?? '', { 'src/b.ts': 'b\n' });
    stage.twin.control.fault({
      kind: 'error',
      status: 500,
      route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files',
      path: `/repos/${NAME}/pulls/${pr}/files`,
      times: null,
    });
    await bring('other', { 'docs/design/other.md': document(second, 'touch_paths: [src/z.ts]') });
    expect(impl(second)).toMatchObject({ status: 'running' });
  });

  it('reports a failed status again if it passed before the agent began and then failed again', async () => {
    const pr = await implement(await openIssue('Export'));
    const sha = pullRow(pr)?.headSha ?? '';
    await report(sha, 'failure');
    await settle();
    const [turn] = openTurns();
    await report(sha, 'pending');
    stage.advance(2_000);
    await stage.poll();
    if (turn !== undefined) expect(await stage.begin(turn)).toMatchObject({ kind: 'refused' });
    await report(sha, 'failure');
    await settle();
    expect(openTurns()).toHaveLength(1);
  });

  it('follows a check that is not on the first page', async () => {
    const pr = await implement(await openIssue('Export'));
    const robot = stage.twin.as('lint[bot]');
    const head_sha = pullRow(pr)?.headSha ?? '';
    const ids: unknown[] = [];
    for (let i = 0; i < 105; i += 1) {
      const run = await robot.request('POST', `/repos/${NAME}/check-runs`, {
        name: `check ${i}`,
        head_sha,
        status: 'in_progress',
      });
      ids.push(Object(run).id);
    }
    await settle();
    const isSeen = (name: string) =>
      pullRow(pr)?.checks?.some((run) => run.name === name && run.conclusion === 'failure');
    // GitHub lists the newest check first, so `check 0` is on the second page.
    const end = { status: 'completed', conclusion: 'failure' };
    await robot.request('PATCH', `/repos/${NAME}/check-runs/${ids[0]}`, end);
    await settle();
    expect(isSeen('check 0')).toBe(true);
  });

  it('sees a status that arrives minutes after a person’s push', async () => {
    const pr = await implement(await openIssue('Export'));
    stage.advance(60 * 60_000);
    const sha = await stage.alice.pushFiles(NAME, 'agent/impl/1-export', { 'src/a.ts': 'b\n' });
    for (let i = 0; i < 2; i += 1) await settle();
    expect(pullRow(pr)?.headSha).toBe(sha);
    await report(sha, 'failure');
    for (let i = 0; i < 2; i += 1) await settle();
    expect(openTurns()).toHaveLength(1);
  });
});
