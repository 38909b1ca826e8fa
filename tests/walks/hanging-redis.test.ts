import { eventually } from '@mergexo/testkit';
import { createWalk, type Walk } from '../fleet/walk.js';

/** Waits for a state, however long a loaded machine takes. */
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
  return { walk, hang: () => walk.proxy?.cut(), recover: () => walk.proxy?.heal() };
}

async function hangAndRecover({ walk, hang, recover }: Fault): Promise<void> {
  const redisHealth = () =>
    walk.withState((state) => state.listHealth().find(({ subject }) => subject === 'redis')?.code);
  const countPolls = (): number =>
    walk.twin.history
      .list('request')
      .filter(({ method, path }) => method === 'GET' && path.split('?')[0]?.endsWith('/alice/app/issues'))
      .length;
  const expectPolls = async (count: number): Promise<void> => {
    const before = countPolls();
    await eventually(() => expect(countPolls()).toBeGreaterThanOrEqual(before + count), PATIENCE_MS);
  };

  const poller = await walk.ready(walk.startPoller(), 'poller is ready');
  await walk.ready(walk.startWorker(), 'worker is ready');
  await eventually(() => expect(redisHealth()).toBe('ok'), PATIENCE_MS);
  hang();
  const issue = await walk.openIssue('agent:small-job');
  await eventually(() => expect(redisHealth()).toBe('unreachable'), PATIENCE_MS);
  expect(poller.output()).toContain('Redis is not answering');
  // Two polls a second: so long that every client has given up the connection that hangs.
  await expectPolls(20);
  expect(walk.runOf(issue)?.status).toBe('running');
  recover();
  await eventually(() => expect(redisHealth()).toBe('ok'), PATIENCE_MS);
  await eventually(() => expect(walk.runOf(issue)?.status).toBe('awaiting_feedback'), PATIENCE_MS);
  expect(walk.agentCalls(issue)).toBe(1);
}

describe('a Redis that hangs without closing a connection', () => {
  it.concurrent.each([
    ['is stopped', prepareStop],
    ['drops off the network', prepareCut],
  ])('polls on, reports it and finishes the work afterwards when it %s', async (_how, prepare) => {
    const fault = await prepare();
    try {
      await hangAndRecover(fault);
    } catch (error) {
      throw new Error(fault.walk.outputs().slice(-12_000), { cause: error });
    } finally {
      fault.recover();
      await fault.walk.close();
    }
  });
});
