/** How often a worker reports on its turn. */
export const HEARTBEAT_MS = 2_000;
/** BullMQ hands a job out again this long after its worker stopped renewing the lock. */
export const JOB_LOCK_MS = 5_000;
/** A worker that was silent for this long about its turn has lost it to the next `begin`. */
export const HOLDER_SILENCE_MS = 6_000;
/** How often a worker reports that it is alive. */
export const WORKER_HEARTBEAT_MS = 5_000;
/** A worker that was silent for this long is reported as gone. */
export const WORKER_LEASE_MS = 15_000;
/** After a start or an outage of Redis, silence says nothing about a worker for this long. */
export const HEARING_MS = WORKER_LEASE_MS;
