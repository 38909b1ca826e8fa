import { setTimeout as sleep } from 'node:timers/promises';
import { createRedis, type RedisKind } from '@mergexo/queue';
import { eventually } from '@mergexo/testkit';
import { createFleet, type Fleet } from './fleet.js';

/** Tests the guarantees of the poller and workers as real processes, with any Redis-compatible server. */
export function describeFleet(kind: RedisKind): void {
  let fleet: Fleet;
  beforeEach(async () => {
    fleet = await createFleet(kind);
  });
  afterEach(() => fleet.close());

  const expectDone = (turnKey: string) =>
    eventually(() => expect(fleet.readTurn(turnKey)).toMatchObject({ state: 'done' }), 40_000);
  const expectRunning = (turnKey: string, attempt: number) =>
    eventually(
      () => expect(fleet.agentCalls().filter((call) => call.turnKey === turnKey)).toHaveLength(attempt),
      30_000,
    );

  it('runs each turn exactly once', async () => {
    const [turn, silent] = [...fleet.addTurns(1, {}), ...fleet.addTurns(1, { silentPlan: true })];
    await fleet.startPoller();
    await fleet.startWorker();
    for (const { turnKey } of [turn, silent].filter((t) => t !== undefined)) await expectDone(turnKey);
    expect(fleet.agentCalls()).toHaveLength(2);
    expect(fleet.pushes()).toHaveLength(1);
    const types = fleet.listEvents(turn?.turnKey ?? '').map((event) => event.type);
    expect(types).toEqual(['turn_queued', 'turn_begun', 'turn_frozen', 'turn_finished', 'turn_completed']);
  });

  it('runs the turn of a killed worker on another worker, and rejects messages of the old attempt', async () => {
    const [turn] = fleet.addTurns(1, { holdMs: [60_000, 0] });
    const turnKey = turn?.turnKey ?? '';
    await fleet.startPoller();
    const first = await fleet.startWorker();
    await expectRunning(turnKey, 1);
    await fleet.startWorker();
    first.kill('SIGKILL');
    await expectRunning(turnKey, 2);
    await expectDone(turnKey);
    expect(fleet.readTurn(turnKey)).toMatchObject({ crashes: 1, infrastructureFailures: 0 });
    expect(fleet.pushes()).toMatchObject([{ turnKey, attempt: 2 }]);
  });

  it('rejects messages from a worker that resumes after its lock expired', async () => {
    const [turn] = fleet.addTurns(1, { holdMs: [3_000, 0] });
    const turnKey = turn?.turnKey ?? '';
    await fleet.startPoller();
    const zombie = await fleet.startWorker();
    await expectRunning(turnKey, 1);
    zombie.kill('SIGSTOP');
    await fleet.startWorker();
    await expectDone(turnKey);
    zombie.kill('SIGCONT');
    await eventually(() => expect(zombie.output()).toContain('turn ended on this worker'));
    expect(fleet.pushes()).toMatchObject([{ turnKey, attempt: 2 }]);
    expect(fleet.listEvents(turnKey).filter((event) => event.type === 'turn_completed')).toHaveLength(1);
    expect(fleet.listEvents(turnKey).some((event) => event.type === 'ledger_refused')).toBe(true);
  });

  it('requeues 50 open turns after FLUSHALL, and finishes each turn once', async () => {
    const turns = fleet.addTurns(50, { holdMs: [200, 200, 200] });
    await fleet.startPoller();
    await fleet.startWorker({ slots: 4 });
    await eventually(() => expect(fleet.pushes().length).toBeGreaterThan(2));
    const redis = createRedis(fleet.target);
    await redis.connect();
    await redis.flushall();
    redis.disconnect();
    for (const { turnKey } of turns) await expectDone(turnKey);
    const pushed = fleet.pushes().map((push) => push.turnKey);
    expect(new Set(pushed).size).toBe(50);
    expect(pushed).toHaveLength(50);
    for (const { turnKey } of turns) {
      expect(fleet.readTurn(turnKey)?.crashes).toBe(0);
      expect(fleet.listEvents(turnKey).filter((event) => event.type === 'turn_completed')).toHaveLength(1);
    }
  });

  it('survives ten seconds without Redis: no crash, no lost turn, and no counted failure', async () => {
    const turns = fleet.addTurns(6, { holdMs: [4_000, 100, 100] });
    const poller = await fleet.startPoller();
    const worker = await fleet.startWorker({ slots: 3 });
    await eventually(() => expect(fleet.agentCalls().length).toBe(3));
    await fleet.killRedis();
    await sleep(10_000);
    expect([poller.child.exitCode, worker.child.exitCode]).toEqual([null, null]);
    await fleet.returnRedis();
    for (const { turnKey } of turns) await expectDone(turnKey);
    for (const { turnKey } of turns) expect(fleet.readTurn(turnKey)?.crashes).toBe(0);
    expect(new Set(fleet.pushes().map((push) => push.turnKey)).size).toBe(6);
    expect(fleet.pushes()).toHaveLength(6);
  });

  it('keeps the result of a turn that ends while the poller is down, and delivers it later', async () => {
    const [turn] = fleet.addTurns(1, { holdMs: [1_500] });
    const turnKey = turn?.turnKey ?? '';
    const poller = await fleet.startPoller();
    await fleet.startWorker();
    await expectRunning(turnKey, 1);
    poller.kill('SIGKILL');
    await poller.exited;
    await sleep(8_000);
    expect(fleet.pushes()).toEqual([]);
    await fleet.startPoller();
    await expectDone(turnKey);
    expect(fleet.agentCalls()).toHaveLength(1);
    expect(fleet.pushes()).toHaveLength(1);
  });

  it('delivers the plan of a worker that died before the poller acknowledged the freeze', async () => {
    const [turn] = fleet.addTurns(1, { holdMs: [1_000] });
    const turnKey = turn?.turnKey ?? '';
    const poller = await fleet.startPoller();
    const worker = await fleet.startWorker();
    await expectRunning(turnKey, 1);
    poller.kill('SIGKILL');
    await poller.exited;
    await sleep(2_500);
    worker.kill('SIGKILL');
    await worker.exited;
    await fleet.startPoller();
    await fleet.startWorker();
    await expectDone(turnKey);
    expect(fleet.agentCalls()).toHaveLength(1);
    expect(fleet.pushes()).toHaveLength(1);
  });

  it('returns a running turn to the queue within the grace period when a worker drains, and counts no failure', async () => {
    const [turn] = fleet.addTurns(1, { holdMs: [60_000, 0] });
    const turnKey = turn?.turnKey ?? '';
    await fleet.startPoller();
    const first = await fleet.startWorker({ drainGraceMs: 200 });
    await expectRunning(turnKey, 1);
    first.kill('SIGTERM');
    expect(await first.exited).toBe(0);
    await fleet.startWorker();
    await expectDone(turnKey);
    expect(fleet.readTurn(turnKey)).toMatchObject({
      crashes: 0,
      agentFailures: 0,
      infrastructureFailures: 0,
    });
  });

  it('starts without Redis, and starts working when Redis becomes available', async () => {
    const [turn] = fleet.addTurns(1, {});
    await fleet.stopRedis();
    const poller = fleet.beginPoller();
    await eventually(() => expect(poller.output()).toContain('Redis is not responding'));
    await fleet.returnRedis();
    await eventually(() => expect(poller.output()).toContain('poller is ready'));
    await fleet.startWorker();
    await expectDone(turn?.turnKey ?? '');
  });

  it('stops on request, even while Redis is unreachable', async () => {
    fleet.addTurns(1, { holdMs: [60_000] });
    const poller = await fleet.startPoller();
    const worker = await fleet.startWorker({ drainGraceMs: 100 });
    await eventually(() => expect(fleet.agentCalls()).toHaveLength(1));
    await fleet.stopRedis();
    poller.kill('SIGTERM');
    worker.kill('SIGTERM');
    expect(await Promise.all([poller.exited, worker.exited])).toEqual([0, 0]);
    await fleet.returnRedis();
  });

  it('allows only one poller: a second poller names the first poller and exits', async () => {
    const first = await fleet.startPoller();
    const second = await fleet.startPoller().catch((error: Error) => error.message);
    expect(second).toContain(`the poller with pid ${first.pid} on`);
  });
}
