import { join } from 'node:path';
import { aRemark, aTurn, createTemporaryDirectory } from '@mergexo/testkit';
import { openState, type State } from '../create-state.js';
import type { Run } from '../tables/runs.js';
import { listBlocked } from './list-blocked.js';
import { countWork, listPeople, listWork, type WorkFilter } from './list-work.js';
import { readSnapshot } from './read-snapshot.js';

const PAGE = { order: 'number', descending: false, limit: 100, offset: 0 } as const;

describe('listWork', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let state: State;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    state = openState(join(directory.path, 'state.db'));
    for (const [index, name] of ['engine', 'loom'].entries())
      state.saveRepository({ id: index + 1, owner: 'ada', name, defaultBranch: 'main' });
  });
  afterEach(() => {
    state.close();
    directory.remove();
  });

  const read = <T>(work: Parameters<typeof readSnapshot<T>>[1]): T => {
    const seen = readSnapshot(join(directory.path, 'state.db'), work);
    if (seen === undefined) throw new Error('no database');
    return seen;
  };
  const list = (filter: WorkFilter = {}, page: Partial<Parameters<typeof listWork>[2]> = {}) =>
    read((facts) => listWork(facts, filter, { ...PAGE, ...page }));
  const stages = (filter: WorkFilter = {}) => list(filter).map(({ issue, stage }) => [issue, stage]);

  const addRun = (issueNumber: number, more: Partial<Run> = {}, repoId = 1): Run => {
    const { flow = 'bugfix', ordinal = 1, issueTitle = `Title ${issueNumber}` } = more;
    const named = { repoId, issueNumber, flow, ordinal, issueTitle, branch: 'b', designDocPath: null };
    const run = state.recordRun(named, issueNumber);
    if (run === undefined) throw new Error('the run exists already');
    const saved = { ...run, ...more };
    state.saveRun(saved, issueNumber);
    return saved;
  };
  const addPull = (issueNumber: number, prNumber: number): Run => {
    const run = addRun(issueNumber, { status: 'awaiting_feedback', prNumber });
    const pull = { repoId: 1, prNumber, runId: run.id, issueNumber, branch: 'b', headSha: null, url: null };
    state.recordPull(pull, issueNumber);
    return run;
  };
  const comment = (thread: number, { issueNumber = thread, login = 'grace' } = {}): void => {
    const remark = aRemark({ thread, commentId: thread, author: { id: 1, login, type: 'User' } });
    state.recordFeedbackEvent({ repoId: 1, issueNumber, remark, skipReason: null }, 1);
  };

  it('derives the stage of an issue from its run, its pull request, its turn and its comments', () => {
    addRun(1);
    addRun(2, { status: 'awaiting_issue_followup' });
    addRun(3, { status: 'awaiting_issue_followup' });
    comment(3);
    addRun(4, { status: 'blocked' });
    const begun = addRun(5, { status: 'running' });
    state.recordTurn(aTurn({ runId: begun.id, state: 'running' }), {});
    addPull(6, 16);
    addPull(7, 17);
    comment(17, { issueNumber: 7 });
    const blocked = addPull(8, 18);
    const pull = state.readPull(1, 18);
    if (pull !== undefined) state.savePull({ ...pull, status: 'blocked', error: 'rewritten' }, 1);
    const answering = addPull(9, 19);
    state.recordTurn(aTurn({ runId: answering.id, prNumber: 19, state: 'queued' }), {});
    addRun(10, { status: 'awaiting_feedback', prNumber: 20 });
    addRun(11, { status: 'ready', ignoredSince: '2026-01-01T00:00:00Z' });
    for (const [index, status] of (['merged', 'closed', 'failed'] as const).entries())
      addRun(12 + index, { status });
    expect(blocked.status).toBe('awaiting_feedback');
    expect(stages()).toEqual([
      [1, 'queued'],
      [2, 'question'],
      [3, 'queued'],
      [4, 'blocked'],
      [5, 'running'],
      [6, 'review'],
      [7, 'queued'],
      [8, 'blocked'],
      [9, 'queued'],
      [10, 'queued'],
      [11, 'queued'],
      [12, 'merged'],
      [13, 'closed'],
      [14, 'failed'],
    ]);
    const counts = { queued: 6, question: 1, blocked: 2, running: 1, review: 1 };
    expect(read((facts) => countWork(facts, { isLive: true }))).toEqual(counts);
    expect(read((facts) => countWork(facts, {}))).toEqual({ ...counts, merged: 1, closed: 1, failed: 1 });
    expect(stages({ isLive: true, stages: ['review', 'running'] })).toEqual([
      [5, 'running'],
      [6, 'review'],
    ]);
    expect(list({ issue: 8 })).toMatchObject([{ reason: 'rewritten', pr: 18 }]);
  });

  it.each<[string, Partial<Run>, string]>([
    ['over one of its limits', { blockedKind: 'max_turns_per_run' }, 'blocked'],
    [
      'over one of its limits, with replies',
      { blockedKind: 'max_cost_usd_per_run', status: 'awaiting_issue_followup' },
      'blocked',
    ],
    ['over a daily limit', { blockedKind: 'max_cost_usd_per_day' }, 'queued'],
    ['without capacity', { blockedKind: 'max_open_runs' }, 'queued'],
    [
      'over a limit and taken over',
      { blockedKind: 'max_turns_per_run', ignoredSince: '2026-01-01' },
      'queued',
    ],
  ])('shows a run %s as waiting for an operator only if nobody else can resume it', (_name, held, stage) => {
    const run = addRun(1, { status: 'ready', error: '50 of 50', ...held });
    expect(stages()).toEqual([[1, stage]]);
    const blocked = { issue: 1, pr: null, kind: run.blockedKind, reason: '50 of 50' };
    expect(listBlocked(state, 1)).toMatchObject(stage === 'blocked' ? [blocked] : []);
    expect(listBlocked(state, 1, 1)).toMatchObject(stage === 'blocked' ? [blocked] : []);
    state.recordTurn(aTurn({ runId: run.id, state: 'queued' }), {});
    expect(stages()).toEqual([[1, 'queued']]);
  });

  it('lists an issue once, with its latest run', () => {
    addRun(1, { status: 'merged', flow: 'design_doc' });
    addRun(1, { status: 'closed', flow: 'implementation' });
    addRun(1, { status: 'merged' }, 2);
    expect(list().map(({ repo, flow }) => [repo, flow])).toEqual([
      ['ada/engine', 'implementation'],
      ['ada/loom', 'bugfix'],
    ]);
    expect(read((facts) => countWork(facts, {}))).toEqual({ closed: 1, merged: 1 });
  });

  it('filters by repository, flow, text and person', () => {
    addRun(1, { issueTitle: '100% of _all_ \\ tests' });
    addRun(2, { issueTitle: '100 of all tests', flow: 'small_job' });
    addRun(3, { prNumber: 21 }, 2);
    comment(2, { login: 'Grace' });
    expect(list({ repoId: 2 })).toHaveLength(1);
    expect(list({ flow: 'small_job' })).toHaveLength(1);
    for (const text of ['100%', '_ALL_', ' \\ '])
      expect(list({ text }).map(({ issue }) => issue)).toEqual([1]);
    expect(list({ text: '#21' }).map(({ issue }) => issue)).toEqual([3]);
    expect(list({ text: "' or 1=1 --" })).toEqual([]);
    expect(list({ person: 'GRACE' }).map(({ issue }) => issue)).toEqual([2]);
    expect(list({ person: 'nobody' })).toEqual([]);
    expect(read((facts) => listPeople(facts, 10))).toEqual(['grace']);
  });

  it('sorts and pages', () => {
    for (const [issue, issueTitle] of ['b', 'C', 'a'].entries()) addRun(issue + 1, { issueTitle });
    const titles = (page: Partial<Parameters<typeof listWork>[2]>) =>
      list({}, page)
        .map(({ title }) => title)
        .join('');
    expect(titles({ order: 'title' })).toBe('abC');
    expect(titles({ order: 'created', descending: true })).toBe('aCb');
    expect(titles({ order: 'updated', limit: 1, offset: 1 })).toBe('C');
  });
});
