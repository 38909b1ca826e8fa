import {
  HEARTBEAT_GRACE_MS,
  HEARTBEAT_MS,
  HOLDER_SILENCE_MS,
  JOB_LOCK_MS,
  WORKER_HEARTBEAT_MS,
  WORKER_LEASE_MS,
} from './heartbeats.js';

describe('the heartbeat limits', () => {
  it('allow one missed heartbeat before Redis redelivers a job, and let Redis redeliver the job before another worker takes over the turn', () => {
    expect(2 * HEARTBEAT_MS).toBeLessThan(JOB_LOCK_MS);
    expect(JOB_LOCK_MS).toBeLessThan(HOLDER_SILENCE_MS);
  });

  it('treat a worker as gone only after it has missed two heartbeats and other workers can take over its turns', () => {
    expect(HOLDER_SILENCE_MS).toBeLessThan(WORKER_LEASE_MS);
    expect(2 * WORKER_HEARTBEAT_MS).toBeLessThan(WORKER_LEASE_MS);
  });

  it('do not report a worker as gone until a restarted poller has received heartbeats for a whole lease', () => {
    expect(HEARTBEAT_GRACE_MS).toBeGreaterThanOrEqual(WORKER_LEASE_MS);
  });
});
