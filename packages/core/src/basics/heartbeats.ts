/** How often a worker reports on its turn. It learns from the answer that the turn was canceled. */
export const HEARTBEAT_MS = 500;
/** BullMQ delivers a job again this long after its worker last renewed the lock. */
export const JOB_LOCK_MS = 5_000;
/** A worker without a heartbeat for this long loses its turn to the next `begin`. */
export const HOLDER_SILENCE_MS = 6_000;
/** How often a worker reports that it is alive. */
export const WORKER_HEARTBEAT_MS = 5_000;
/** A worker without a heartbeat for this long is reported as gone. */
export const WORKER_LEASE_MS = 15_000;
/** For this long after the poller starts or Redis returns, a missing heartbeat does not prove that a worker is gone. */
export const HEARTBEAT_GRACE_MS = WORKER_LEASE_MS;
