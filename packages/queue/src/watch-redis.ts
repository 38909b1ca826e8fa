import type { Log } from '@mergexo/core/basics';
import { createRedis, describeTarget, type RedisTarget } from './connect.js';

export type RedisWatch = {
  /** Since when, on the monotonic clock, workers could be heard without a gap; now, while Redis does not answer. */
  hearingSince(): number;
  isUp(): boolean;
  close(): void;
};

const PING_EVERY_MS = 1_000;
/** A Redis that takes longer has stopped, or the network drops its packets: no connection is closed then. */
const PONG_WITHIN_MS = 4_000;

/** Tells an outage of Redis from the silence of a worker, and logs each outage once. */
export function watchRedis(options: {
  target: RedisTarget;
  log: Log;
  monotonicNow: () => number;
  onReturn: () => void;
}): RedisWatch {
  const { target, log, monotonicNow, onReturn } = options;
  const where = describeTarget(target);
  let up = true;
  let closed = false;
  let since = monotonicNow();
  const redis = createRedis(target, { silenceMs: PONG_WITHIN_MS });
  const noteDown = (): void => {
    if (up && !closed)
      log.warn({ redis: where }, 'Redis is not answering; turns stay in SQLite until it does');
    up = false;
  };
  const noteUp = (): void => {
    if (up || closed) return;
    up = true;
    since = monotonicNow();
    log.info({ redis: where }, 'Redis is back');
    onReturn();
  };
  redis.on('error', () => {});
  redis.on('close', noteDown);
  redis.on('ready', noteUp);
  void redis.connect().catch(() => {});
  const timer = setInterval(() => {
    if (redis.status === 'ready') redis.ping().then(noteUp, noteDown);
  }, PING_EVERY_MS);

  return {
    hearingSince: () => (up ? since : monotonicNow()),
    isUp: () => up,
    close: () => {
      closed = true;
      clearInterval(timer);
      redis.disconnect();
    },
  };
}
