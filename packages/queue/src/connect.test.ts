import { consumerConnection, producerConnection } from './connect.js';

/** Health must show a Redis that hangs within 10 s, and work must resume 15 s after it recovers. */
const REPORTED_MS = 10_000;
const RECOVERED_MS = 15_000;
/** BullMQ's longest blocking command: a connection that is silent so long may only be idle. */
const LONGEST_BLOCK_MS = 10_000;

describe('a connection that was lost without being closed', () => {
  it('is given up by a producer before its caller would hang, with the command that waits for it', () => {
    const { socketTimeout, commandTimeout, connectTimeout } = producerConnection({});
    for (const limit of [socketTimeout, commandTimeout, connectTimeout])
      expect(limit).toBeLessThan(REPORTED_MS);
  });

  it('is given up by a consumer in time, but not while it only waits for work', () => {
    const { socketTimeout, connectTimeout, keepAlive, retryStrategy } = consumerConnection({});
    expect(socketTimeout).toBeGreaterThan(LONGEST_BLOCK_MS);
    expect(socketTimeout + retryStrategy(0)).toBeLessThan(RECOVERED_MS);
    expect(connectTimeout).toBeLessThan(REPORTED_MS);
    expect(keepAlive).toBeLessThan(socketTimeout);
  });

  it('is tried again at most a second later, however long the outage lasts', () => {
    const { retryStrategy } = consumerConnection({});
    expect(Math.max(...Array.from({ length: 50 }, (_, tries) => retryStrategy(tries)))).toBeLessThanOrEqual(
      1_000,
    );
  });
});
