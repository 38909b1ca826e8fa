import { consumerConnection, producerConnection } from './connect.js';

/** `status` must report a hanging Redis within 10 s, and work must resume 15 s after Redis recovers. */
const REPORTED_MS = 10_000;
const RECOVERED_MS = 15_000;
/** The duration of BullMQ's longest blocking command. A connection that is silent for this long may just be idle. */
const LONGEST_BLOCK_MS = 10_000;

describe('a connection that was lost without being closed', () => {
  it('is closed by a producer within 10 s, and the pending command fails', () => {
    const { socketTimeout, commandTimeout, connectTimeout } = producerConnection({});
    for (const limit of [socketTimeout, commandTimeout, connectTimeout])
      expect(limit).toBeLessThan(REPORTED_MS);
  });

  it('is closed by a consumer within 15 s, but not while the consumer waits for a job', () => {
    const { socketTimeout, connectTimeout, keepAlive, retryStrategy } = consumerConnection({});
    expect(socketTimeout).toBeGreaterThan(LONGEST_BLOCK_MS);
    expect(socketTimeout + retryStrategy(0)).toBeLessThan(RECOVERED_MS);
    expect(connectTimeout).toBeLessThan(REPORTED_MS);
    expect(keepAlive).toBeLessThan(socketTimeout);
  });

  it('is retried at least once a second, however long the outage lasts', () => {
    const { retryStrategy } = consumerConnection({});
    expect(Math.max(...Array.from({ length: 50 }, (_, tries) => retryStrategy(tries)))).toBeLessThanOrEqual(
      1_000,
    );
  });
});
