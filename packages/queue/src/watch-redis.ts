import type { Log } from '@mergexo/core/basics';
import { createRedis, describeTarget, type RedisTarget } from './connect.js';

export type RedisWatch = {
  /**
   * Returns the monotonic time when the last outage ended, or when the watch started if there was none.
   * During an outage, returns the current time.
   */
  hearingSince(): number;
  isUp(): boolean;
  close(): void;
};

const PING_EVERY_MS = 1_000;
/**
 * If Redis takes longer than this, it hangs or the network drops packets. Neither closes the connection, so only a
 * timeout detects the outage.
 */
const PONG_WITHIN_MS = 4_000;

/** Distinguishes an outage of Redis from a silent worker, and logs each outage once. */
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
      log.warn({ redis: where }, 'Redis is not responding; turns stay in SQLite until it does');
    up = false;
  };
  const noteUp = (): void => {
    if (up || closed) return;
    up = true;
    since = monotonicNow();
    log.info({ redis: where }, 'Redis is responding again');
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
