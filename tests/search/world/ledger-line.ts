import { Failure } from '@mergexo/core/basics';
import { buildRequestId, LedgerAnswer, type LedgerMessage } from '@mergexo/core/ledger';
import { currentLife, type Life, runIn, within } from './lives.js';
import type { Network } from './network.js';

type Verified = { message: unknown; from: string };
type Server = { life: Life; answer: (verified: Verified) => Promise<LedgerAnswer> | LedgerAnswer };
type Request = {
  id: string;
  text: string;
  from: string;
  state: 'waiting' | 'active' | 'done';
  /** The poller process that works on it. */
  holder: Life | undefined;
  heldUntil: number;
  answer: string;
  waiters: Set<(end: 'done' | 'failed' | 'gone') => void>;
};

export type LedgerLine = ReturnType<typeof createLedgerLine>;

/** How long the answer to a message stays in Redis. */
const KEEP_MS = 60_000;
const LOCK_MS = 10_000;

/**
 * The `ledger` queue: a message waits in Redis until a poller takes it, a repeated message shares the first one's
 * answer, an answer is kept for a minute, and a message that a dead poller took is delivered again.
 */
export function createLedgerLine(network: Network) {
  const { timeline } = network;
  const requests = new Map<string, Request>();
  const firstSent = new Map<string, number>();
  const begun = new Map<string, number>();
  let server: Server | undefined;

  const finish = (request: Request, end: 'done' | 'failed' | 'gone'): void => {
    if (end !== 'done') requests.delete(request.id);
    for (const tell of request.waiters) tell(end);
  };
  const serve = async (request: Request, { life, answer }: Server): Promise<void> => {
    Object.assign(request, { state: 'active', holder: life, heldUntil: timeline.now() + LOCK_MS });
    try {
      const verified = { message: JSON.parse(request.text), from: request.from };
      const told = await within(
        life,
        runIn(life, async () => answer(verified)),
      );
      if (requests.get(request.id) !== request || request.holder !== life) return;
      request.answer = JSON.stringify(told);
      request.state = 'done';
      timeline.after(KEEP_MS, () => requests.get(request.id) === request && requests.delete(request.id));
      finish(request, 'done');
    } catch {
      if (life.isAlive) finish(request, 'failed');
    }
  };
  const deliver = (): void => {
    if (server === undefined || !server.life.isAlive || network.isCut('poller')) return;
    for (const request of requests.values()) {
      const isLost =
        request.state === 'active' && !request.holder?.isAlive && request.heldUntil <= timeline.now();
      if (request.state === 'waiting' || isLost) void serve(request, server);
    }
  };
  const send = async (message: LedgerMessage, from: string, timeoutMs: number): Promise<LedgerAnswer> => {
    const id = buildRequestId(message);
    firstSent.set(id, firstSent.get(id) ?? timeline.now());
    const link = currentLife()?.name ?? 'nobody';
    await network.travel('redis');
    const isLost = (): boolean => network.isCut(link);
    if (isLost()) {
      await timeline.wait(timeoutMs);
      throw new Failure('unavailable', 'Redis did not respond.');
    }
    const known: Request = requests.get(id) ?? {
      ...{ id, from, text: JSON.stringify(message), state: 'waiting', answer: '' },
      ...{ holder: undefined, heldUntil: 0, waiters: new Set() },
    };
    requests.set(id, known);
    deliver();
    const end = known.state === 'done' ? 'done' : await waitFor(known, timeoutMs);
    await network.travel('redis');
    if (end !== 'done' || isLost()) throw new Failure('unknown-outcome', `ledger ${message.kind}: no answer`);
    const answer = LedgerAnswer.parse(JSON.parse(known.answer));
    if (answer.kind === 'begun')
      begun.set(`${answer.turnKey} ${answer.attempt}`, firstSent.get(id) ?? timeline.now());
    return answer;
  };
  const waitFor = (request: Request, timeoutMs: number): Promise<string> =>
    new Promise((resolve) => {
      const tell = (end: string): void => {
        stop();
        request.waiters.delete(tell);
        resolve(end);
      };
      const stop = timeline.after(timeoutMs, () => tell('timed out'));
      request.waiters.add(tell);
    });

  return {
    ask(message: LedgerMessage, from: string, timeoutMs: number): Promise<LedgerAnswer> {
      const life = currentLife();
      network.passDoor(life, `before ledger ${message.kind}`);
      if (life !== undefined && !life.isAlive) return new Promise(() => {});
      const sent = send(message, from, timeoutMs).finally(() =>
        network.passDoor(life, `after ledger ${message.kind}`),
      );
      return within(life, sent);
    },
    /** When a worker first sent the message that began this attempt, in the time of the world. */
    beganAt: (turnKey: string, attempt: number): number =>
      begun.get(`${turnKey} ${attempt}`) ?? Number.NEGATIVE_INFINITY,
    /** A new poller takes over. */
    serve(next: Server): void {
      server = next;
      deliver();
    },
    /** Delivers what waits. The world calls this every second, as BullMQ's stalled check does. */
    deliver,
    /** Loses every message and answer, as FLUSHALL does. A sender that waits for an answer times out. */
    flush: (): void => requests.clear(),
  };
}
