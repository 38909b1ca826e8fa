import { eventually, type Program } from '@mergexo/testkit';
import { createWalk, type Walk } from '../fleet/walk.js';

/** Time limit for reaching a state, even on a busy machine. */
const PATIENCE_MS = 180_000;

type Fault = { walk: Walk; hang: () => void; recover: () => void };

async function prepareStop(): Promise<Fault> {
  const walk = await createWalk();
  const pids = await walk.redisPids();
  const signal = (name: NodeJS.Signals) => () => pids.forEach((pid) => void process.kill(pid, name));
  return { walk, hang: signal('SIGSTOP'), recover: signal('SIGCONT') };
}

async function prepareCut(): Promise<Fault> {
  const walk = await createWalk({ withProxy: true });
  return { walk, hang: () => walk.proxy?.cut(), recover: () => walk.proxy?.restore() };
}

async function expectRedisHealth({ withState }: Walk, code: 'ok' | 'unreachable'): Promise<void> {
  const read = () =>
    withState((state) => state.listHealth().find(({ subject }) => subject === 'redis')?.code);
  await eventually(() => expect(read()).toBe(code), PATIENCE_MS);
}

/** Waits for 20 polls. At two polls per second, every client has dropped its hanging connection by then. */
async function outlastTimeouts({ twin }: Walk): Promise<void> {
  const countPolls = (): number =>
    twin.history
      .list('request')
      .filter(({ method, path }) => method === 'GET' && path.split('?')[0]?.endsWith('/alice/app/issues'))
      .length;
  const before = countPolls();
  await eventually(() => expect(countPolls()).toBeGreaterThanOrEqual(before + 20), PATIENCE_MS);
}

async function start(walk: Walk): Promise<{ poller: Program; worker: Program }> {
  const poller = await walk.ready(walk.startPoller(), 'poller is ready');
  const worker = await walk.ready(walk.startWorker(), 'worker is ready');
  await expectRedisHealth(walk, 'ok');
  return { poller, worker };
}

async function expectFinishedOnce(walk: Walk, issue: number): Promise<void> {
  await expectRedisHealth(walk, 'ok');
  await eventually(() => expect(walk.runOf(issue)?.status).toBe('awaiting_feedback'), PATIENCE_MS);
  expect(walk.agentCalls(issue)).toBe(1);
}

async function hangAndRecover({ walk, hang, recover }: Fault): Promise<void> {
  const { poller } = await start(walk);
  hang();
  const issue = await walk.openIssue('agent:small-job');
  await expectRedisHealth(walk, 'unreachable');
  expect(poller.output()).toContain('Redis is not responding');
  await outlastTimeouts(walk);
  expect(walk.runOf(issue)?.status).toBe('running');
  recover();
  await expectFinishedOnce(walk, issue);
}

/** Redis accepts the worker's `begin` and hangs before the worker can read the response. */
async function hangAfterBegin({ walk, recover }: Fault): Promise<void> {
  const { worker } = await start(walk);
  const hung = walk.proxy?.cutAtSecond('begin-');
  const issue = await walk.openIssue('agent:small-job');
  await hung;
  await expectRedisHealth(walk, 'unreachable');
  await outlastTimeouts(walk);
  expect(worker.child.exitCode).toBeNull();
  recover();
  await expectFinishedOnce(walk, issue);
  expect(worker.child.exitCode).toBeNull();
}

async function withFault(fault: Fault, play: (fault: Fault) => Promise<void>): Promise<void> {
  try {
    await play(fault);
  } catch (error) {
    throw new Error(fault.walk.outputs().slice(-12_000), { cause: error });
  } finally {
    fault.recover();
    await fault.walk.close();
  }
}

describe('a Redis that hangs without closing its connections', () => {
  it.concurrent.each([
    ['because its process is stopped', prepareStop],
    ['because its host is disconnected', prepareCut],
  ])(
    '%s: the poller keeps polling, reports the outage, and finishes the work after recovery',
    async (_how, prepare) => {
      await withFault(await prepare(), hangAndRecover);
    },
  );

  it.concurrent('right after a ledger message was added: the worker stays alive', async () => {
    await withFault(await prepareCut(), hangAfterBegin);
  });
});
