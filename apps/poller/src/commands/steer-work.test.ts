import { join } from 'node:path';
import { silentLog } from '@mergexo/core/basics';
import { ALL } from '@mergexo/core/runs';
import type { Turn } from '@mergexo/core/turns';
import { openState, type State } from '@mergexo/state';
import { aTurn, createTemporaryDirectory } from '@mergexo/testkit';
import { isHeld } from '../lifecycle/pause.js';
import { type SteerRequest, steerWork } from './steer-work.js';

describe('steerWork', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let state: State;
  let serial: number;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    state = openState(join(directory.path, 'state.db'));
    serial = 0;
    state.saveRepository({ id: 1, owner: 'ada', name: 'engine', defaultBranch: 'main' });
    state.saveRepository({ id: 2, owner: 'ada', name: 'loom', defaultBranch: 'main' });
  });
  afterEach(() => {
    state.close();
    directory.remove();
  });

  const steer = (wish: Partial<SteerRequest>) => {
    serial += 1;
    const request = { kind: 'steer', requestId: `r${serial}`, by: 'cli', expiresAt: 30_000 } as const;
    return steerWork(
      { state, now: () => 1_000, log: silentLog },
      { ...request, order: 'pause', repo: null, number: null, reason: null, ...wish },
    );
  };
  const addTurn = (issueNumber: number, fields: Partial<Turn>): { turn: Turn; runId: number } => {
    const flow = 'bugfix' as const;
    const run = state.recordRun(
      { repoId: 1, issueNumber, flow, issueTitle: 't', branch: 'b', designDocPath: null, ordinal: 1 },
      1,
    );
    if (run === undefined) throw new Error('no run');
    state.saveRun({ ...run, status: 'running' }, 1);
    const turn = aTurn({ repoId: 1, runId: run.id, issueNumber, ...fields });
    state.recordTurn(turn, null);
    return { turn, runId: run.id };
  };
  const scopes = () => state.listPauses().map(({ repoId, issueNumber }) => [repoId, issueNumber]);

  it.each<[string, Partial<SteerRequest>, [number, number]]>([
    ['all work', {}, [ALL, ALL]],
    ['a repository, in any case', { repo: 'ADA/Engine' }, [1, ALL]],
    ['an issue', { repo: 'ada/loom', number: 7 }, [2, 7]],
  ])('pauses and resumes %s', (_name, wish, scope) => {
    expect(steer({ ...wish, reason: 'release day' })).toMatchObject({ kind: 'steered', changed: true });
    expect(state.listPauses()).toMatchObject([{ by: 'cli', reason: 'release day', since: 1_000 }]);
    expect(scopes()).toEqual([scope]);
    expect(steer(wish)).toMatchObject({ changed: false });
    expect(steer({ ...wish, order: 'resume', reason: 'released' })).toMatchObject({ changed: true });
    expect(state.listEventsAfter(0, 10).map(({ type, payload }) => ({ type, payload }))).toEqual([
      { type: 'work_paused', payload: { by: 'cli', reason: 'release day' } },
      { type: 'work_resumed', payload: { by: 'cli', reason: 'released' } },
    ]);
    expect(scopes()).toEqual([]);
    expect(steer({ ...wish, order: 'resume' })).toMatchObject({ changed: false });
  });

  it('pauses the issue of a pull request', () => {
    const { runId } = addTurn(7, { state: 'done' });
    const url = null;
    state.recordPull({ repoId: 1, prNumber: 9, runId, issueNumber: 7, branch: 'b', headSha: 'a', url }, 1);
    expect(steer({ repo: 'ada/engine', number: 9 })).toMatchObject({ issueNumber: 7 });
    expect(scopes()).toEqual([[1, 7]]);
  });

  it('asks for the repository of a number if there are several', () => {
    expect(steer({ number: 7 })).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('ada/loom'),
    });
    expect(steer({ repo: 'ada/other' })).toMatchObject({ kind: 'refused' });
    expect(scopes()).toEqual([]);
  });

  it.each<Turn['state']>(['open', 'queued', 'running'])('cancels a turn that is %s, and pauses', (name) => {
    const { turn, runId } = addTurn(7, { state: name });
    expect(steer({ order: 'cancel', repo: 'ada/engine', number: 7, reason: 'wrong approach' })).toMatchObject(
      {
        kind: 'steered',
        turn: { kind: turn.kind, end: 'cancelled' },
      },
    );
    const reason = 'an operator canceled the turn (cli): wrong approach';
    expect(state.readTurn(turn.turnKey)).toMatchObject({ state: 'cancelled', reason });
    expect(state.readRun(runId)?.status).toBe('ready');
    expect(scopes()).toEqual([[1, 7]]);
  });

  it.each<Partial<Turn>>([
    { state: 'frozen', planDigest: 'd' },
    { state: 'speaking', planDigest: 'd' },
    { state: 'running', planDigest: 'd' },
    { state: 'done' },
  ])('cancels nothing if the turn is %j', (fields) => {
    const { turn } = addTurn(7, fields);
    expect(steer({ order: 'cancel', repo: 'ada/engine', number: 7 })).toMatchObject({ kind: 'refused' });
    expect(state.readTurn(turn.turnKey)?.state).toBe(fields.state);
    expect(scopes()).toEqual([]);
  });

  it('cancels only a named issue', () => {
    addTurn(7, { state: 'running' });
    expect(steer({ order: 'cancel', repo: 'ada/engine' })).toMatchObject({ kind: 'refused' });
  });

  const addPull = (turnFields: Partial<Turn> = { state: 'done' }) => {
    const { turn, runId } = addTurn(7, { prNumber: 9, ...turnFields });
    const pull = { repoId: 1, prNumber: 9, runId, issueNumber: 7, branch: 'b', headSha: 'a', url: null };
    state.recordPull(pull, 1);
    const run = state.readRun(runId);
    if (run !== undefined) state.saveRun({ ...run, prNumber: 9 }, 1);
    return turn;
  };
  const skip = (number: number) =>
    steer({ order: 'skip-review', repo: 'ada/engine', number, reason: 'a typo fix' });
  const statuses = () => state.listUnsettledActions().filter(({ kind }) => kind === 'review_skipped_status');

  it.each([7, 9])('skips the AI review of the current head once, named by #%i', (number) => {
    addPull();
    expect(skip(number)).toMatchObject({ changed: true, turn: null });
    expect(state.readPull(1, 9)?.reviewSkippedSha).toBe('a');
    const payload = { by: 'cli', reason: 'a typo fix', head_sha: 'a' };
    expect(state.listEventsOfIssue(1, 7)).toContainEqual(
      expect.objectContaining({ type: 'review_skipped', payload }),
    );
    expect(statuses()).toMatchObject([{ thread: 9, payload: { headSha: 'a' } }]);
    expect(skip(number)).toMatchObject({ changed: false });
    expect(statuses()).toHaveLength(1);
  });

  it('cancels a running review, without a pause', () => {
    const turn = addPull({ kind: 'review', state: 'running' });
    expect(skip(9)).toMatchObject({ changed: true, turn: { kind: 'review', end: 'cancelled' } });
    expect(state.readTurn(turn.turnKey)?.state).toBe('cancelled');
    expect(scopes()).toEqual([]);
  });

  it('cancels no other turn', () => {
    const turn = addPull({ kind: 'implementation_feedback', state: 'running' });
    expect(skip(9)).toMatchObject({ changed: true, turn: null });
    expect(state.readTurn(turn.turnKey)?.state).toBe('running');
  });

  it('skips nothing while the result of a review is being posted', () => {
    addPull({ kind: 'review', state: 'speaking', planDigest: 'd' });
    expect(skip(9)).toMatchObject({ kind: 'refused' });
    expect(state.readPull(1, 9)?.reviewSkippedSha).toBeNull();
    expect(statuses()).toEqual([]);
  });

  it('skips nothing without an open pull request', () => {
    addTurn(7, { state: 'done' });
    expect(skip(7)).toMatchObject({ kind: 'refused' });
    expect(steer({ order: 'skip-review', repo: 'ada/engine' })).toMatchObject({ kind: 'refused' });
  });

  it('answers a repeated request as before, and ignores an expired one', () => {
    expect(steer({ requestId: 'same' })).toMatchObject({ changed: true });
    state.removePause({ repoId: ALL, issueNumber: ALL });
    expect(steer({ requestId: 'same' })).toMatchObject({ changed: true });
    expect(steer({ expiresAt: 999 })).toMatchObject({ kind: 'refused' });
    expect(scopes()).toEqual([]);
  });

  it('holds back only turns that no worker has begun and that have no result', () => {
    steer({});
    const held = (fields: Partial<Turn>) => isHeld(state, aTurn({ repoId: 1, ...fields }));
    expect(held({ state: 'open' })).toBe(true);
    expect(held({ state: 'queued' })).toBe(true);
    expect(held({ state: 'queued', workerId: 'w' })).toBe(false);
    expect(held({ state: 'running', workerId: 'w' })).toBe(false);
    expect(held({ state: 'queued', planDigest: 'd' })).toBe(false);
  });
});
