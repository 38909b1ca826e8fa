import { join } from 'node:path';
import { silentLog } from '@mergexo/core/basics';
import { openState, type State } from '@mergexo/state';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { type ResetRequest, resetBlocked } from './reset-blocked.js';

const OLD = 'a'.repeat(40);
const NEW = 'b'.repeat(40);
const SEVEN = [{ repo: null, prNumber: 7 }];

describe("an attacker who replays an operator's request", () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let path: string;
  let state: State;
  let clock: number;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    path = join(directory.path, 'state.db');
    state = openState(path);
    clock = 1_000;
    state.saveRepository({ id: 1, owner: 'ada', name: 'engine', defaultBranch: 'main' });
    const about = { repoId: 1, issueNumber: 107, branch: 'b7' };
    const run = state.recordRun(
      { ...about, flow: 'bugfix', issueTitle: 't', designDocPath: null, ordinal: 1 },
      clock,
    );
    if (run === undefined) throw new Error('no run');
    state.recordPull({ ...about, prNumber: 7, runId: run.id, headSha: OLD, url: null }, clock);
    state.saveRun({ ...run, prNumber: 7, status: 'awaiting_feedback' }, clock);
  });
  afterEach(() => {
    state.close();
    directory.remove();
  });

  const readPull = () => {
    const pull = state.readPull(1, 7);
    if (pull === undefined) throw new Error('no pull request');
    return pull;
  };
  const block = (headSha = OLD): void => {
    const pull = readPull();
    const run = state.readRun(pull.runId);
    const blocked = { status: 'blocked', blockedKind: 'history_rewritten', error: 'rewritten' } as const;
    state.savePull({ ...pull, ...blocked, headSha }, clock);
    if (run !== undefined) state.saveRun({ ...run, ...blocked }, clock);
  };
  const reset = (request: ResetRequest) =>
    resetBlocked({ state, now: () => clock, log: silentLog, agentsOf: () => undefined }, request);
  const restart = (): void => {
    state.close();
    state = openState(path);
  };

  type Wish = Partial<ResetRequest> & { blockedBefore?: true };
  const wishes: [string, Wish][] = [
    ['found nothing', {}],
    ['found nothing in its repository', { repo: 'ada/engine' }],
    ['was refused because the pull request was not blocked', { pulls: SEVEN }],
    ['was refused because the issue was not blocked', { pulls: [{ repo: 'ada/engine', issueNumber: 107 }] }],
    ['was refused because of its head', { pulls: SEVEN, headSha: NEW }],
    ['lifted an earlier block', { pulls: SEVEN, blockedBefore: true }],
    ['lifted every earlier block', { blockedBefore: true }],
  ];
  const restarts: [string, () => void][] = [
    ['20 s later', () => {}],
    ['after the poller restarted', restart],
  ];
  const rows = wishes.flatMap(([name, wish]) =>
    restarts.map(([when, between]) => [name, when, wish, between] as const),
  );
  it.each(rows)(
    'replays a request that %s, %s: the new block stays',
    (_name, _when, { blockedBefore, ...wish }, between) => {
      const request: ResetRequest = {
        kind: 'reset',
        requestId: 'r1',
        by: 'cli',
        expiresAt: clock + 30_000,
        pulls: null,
        repo: null,
        headSha: null,
        reason: null,
        ...wish,
      };
      if (blockedBefore) block();
      const first = reset(request);
      expect(readPull().status).toBe('awaiting_feedback');
      block(NEW);
      clock += 20_000;
      between();
      expect(reset(request)).toEqual(first);
      expect(readPull()).toMatchObject({ status: 'blocked', acceptedHeadSha: OLD });
      clock += 20_000;
      expect(reset(request)).toEqual({ kind: 'refused', reason: expect.stringContaining('expired') });
      expect(readPull().status).toBe('blocked');
      expect(
        reset({ ...request, requestId: 'r2', expiresAt: clock, pulls: SEVEN, headSha: NEW }),
      ).toMatchObject({
        kind: 'reset',
      });
    },
  );

  it('replays after the clock was set back by an hour: the new block stays', () => {
    clock += 7_200_000;
    const request = { kind: 'reset', requestId: 'r1', by: 'cli', expiresAt: clock + 30_000 } as const;
    const everything = { pulls: null, repo: null, headSha: null, reason: null };
    reset({ ...request, ...everything });
    block();
    clock += 3_600_000;
    reset({ ...request, ...everything, requestId: 'r2', expiresAt: clock, repo: 'eve/evil' });
    clock -= 3_600_000;
    expect(reset({ ...request, ...everything })).toEqual({ kind: 'reset', pulls: [] });
    expect(readPull().status).toBe('blocked');
  });
});
