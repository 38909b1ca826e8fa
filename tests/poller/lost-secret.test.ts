import type { PlanResult } from '@mergexo/core/turns';
import { openTurns, pollRepo } from '@mergexo/poller';
import { createStage, DEBOUNCE_MS, NAME, type Stage } from '../stage/stage.js';

const fix: PlanResult = { kind: 'pull', title: 'Fix it', summary: 'Fixed.', design: null };
const other = { current: 'o'.repeat(64), older: [] };

describe('a repository after its secret and database were lost', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await createStage();
  });
  afterEach(() => stage.close());

  const poll = async (keys = other) => {
    stage.advance(DEBOUNCE_MS);
    const result = await pollRepo({ ...stage.common(), keys }, stage.repo);
    await openTurns({ ...stage.common(), keys }, stage.repo);
    return result;
  };
  const openPull = async (): Promise<number> => {
    await stage.alice.openIssue(NAME, { title: 'Broken', labels: ['agent:bugfix'] });
    await stage.poll();
    await stage.work(fix);
    for (let i = 0; i < 3; i += 1) await stage.drain();
    return stage.state.listWatchedPulls(stage.repo.id)[0]?.prNumber ?? 0;
  };
  const asked = async (work: () => Promise<unknown>) => {
    const before = stage.twin.history.list('request').length;
    await work();
    return stage.twin.history.list('request').slice(before);
  };

  it('is paused at the cost of one conditional request per poll, until the secret is back', async () => {
    const pr = await openPull();
    expect(pr).toBeGreaterThan(0);
    stage.loseState();
    expect(await poll()).toBe('secret-lost');
    expect(await poll()).toBe('secret-lost');
    const requests = await asked(async () => expect(await poll()).toBe('secret-lost'));
    expect(requests.map(({ status }) => status)).toEqual([304]);
    expect(stage.state.listTurnsInState('open')).toEqual([]);

    expect(await poll({ ...other, current: other.current })).toBe('secret-lost');
    await stage.poll();
    expect(stage.state.readPull(stage.repo.id, pr)?.status).toBe('awaiting_feedback');
  });

  it('has no earlier work after adoption: MergeXO does not touch it, and handles new work', async () => {
    const pr = await openPull();
    await stage.alice.comment(NAME, pr, 'From before.');
    stage.loseState();
    await poll();

    stage.twin.control.advance(5_000);
    const since = new Date(stage.twin.world.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    stage.twin.control.advance(5_000);
    stage.state.transaction(() => stage.state.retireRepository(stage.repo.id, since, 1));
    expect(await poll()).toBe('polled');
    expect(stage.state.listTurnsInState('open')).toEqual([]);

    await stage.alice.comment(NAME, pr, 'On the old pull request.');
    const issue = await stage.alice.openIssue(NAME, { title: 'New', labels: ['agent:bugfix'] });
    await poll();
    await poll();
    expect(stage.state.listTurnsInState('open').map(({ issueNumber }) => issueNumber)).toEqual([issue]);
    expect(stage.state.readPull(stage.repo.id, pr)).toBeUndefined();
  });

  it('has no recorded runs, turns, actions or waiting comments left after adoption', async () => {
    const pr = await openPull();
    await stage.alice.comment(NAME, pr, 'Unanswered.');
    await stage.poll();
    stage.advance(DEBOUNCE_MS);
    await stage.poll();
    expect(stage.state.listTurnsInState('open')).toHaveLength(1);
    const [live] = stage.state.listRuns(stage.repo.id, ['awaiting_feedback']);
    if (live === undefined) throw new Error('no run');
    stage.state.saveRun({ ...live, blockedKind: 'agent_blocked', error: 'Which database?' }, 4);
    const retired = stage.state.transaction(() =>
      stage.state.retireRepository(stage.repo.id, '2030-01-01T00:00:00Z', 5),
    );
    expect(retired).toEqual({ runs: 1, pulls: [pr], turns: 1, comments: 1 });
    expect(stage.state.previewRetirement(stage.repo.id)).toEqual({
      runs: 0,
      pulls: [],
      turns: 0,
      comments: 0,
    });
    const [run] = stage.state.listRuns(stage.repo.id, ['closed']);
    expect(run).toMatchObject({ endedKind: 'retired', blockedKind: null, error: null });
    await poll();
    await poll();
    const writes = await asked(() => stage.drain());
    expect(writes.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(stage.state.listTurnsInState('open')).toEqual([]);
  });
});
