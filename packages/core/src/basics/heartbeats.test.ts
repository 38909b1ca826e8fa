import {
  HEARTBEAT_GRACE_MS,
  HEARTBEAT_MS,
  HOLDER_SILENCE_MS,
  JOB_LOCK_MS,
  WORKER_HEARTBEAT_MS,
  WORKER_LEASE_MS,
} from './heartbeats.js';

describe('the silence limits', () => {
  it('let a worker miss a heartbeat before Redis redelivers its job, and redeliver the job before the turn is taken over', () => {
    expect(2 * HEARTBEAT_MS).toBeLessThan(JOB_LOCK_MS);
    expect(JOB_LOCK_MS).toBeLessThan(HOLDER_SILENCE_MS);
  });

  it('report a worker as gone only after its turns were taken over and two heartbeats were missed', () => {
    expect(HOLDER_SILENCE_MS).toBeLessThan(WORKER_LEASE_MS);
    expect(2 * WORKER_HEARTBEAT_MS).toBeLessThan(WORKER_LEASE_MS);
  });

  it('report no worker as gone until a restarted poller has received heartbeats for a whole lease', () => {
    expect(HEARTBEAT_GRACE_MS).toBeGreaterThanOrEqual(WORKER_LEASE_MS);
  });
});
