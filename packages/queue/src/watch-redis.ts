import type { Log } from '@mergexo/core';
import { createRedis, describeTarget, type RedisTarget } from './connect.js';

export type RedisWatch = {
  /** Since when, on the monotonic clock, workers could be heard without a gap; now, while Redis is away. */
  hearingSince(): number;
  isUp(): boolean;
  close(): void;
};

/** Tells an outage of Redis from the silence of a worker, and says so once per outage. */
export function watchRedis(options: {
  target: RedisTarget;
  log: Log;
  monotonicNow: () => number;
  onReturn: () => void;
}): RedisWatch {
  const { target, log, monotonicNow, onReturn } = options;
  const where = describeTarget(target);
  let up = true;
  let since = monotonicNow();
  const redis = createRedis(target);
  redis.on('error', () => {});
  redis.on('close', () => {
    if (up) log.warn({ redis: where }, 'Redis is away; turns stay in SQLite until it returns');
    up = false;
  });
  redis.on('ready', () => {
    if (up) return;
    up = true;
    since = monotonicNow();
    log.info({ redis: where }, 'Redis is back');
    onReturn();
  });
  void redis.connect().catch(() => {});

  return {
    hearingSince: () => (up ? since : monotonicNow()),
    isUp: () => up,
    close: () => {
      redis.removeAllListeners('close');
      redis.disconnect();
    },
  };
}
