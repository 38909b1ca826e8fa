import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** The notifications sent about one outage of the poller. `since` identifies the outage. */
export type OutageRecord = { since: number; sends: number; sentTo: readonly string[] };

export type OutageRecords = { read(since: number): OutageRecord; save(record: OutageRecord): void };

/**
 * Records sent notifications in a file, so that a restarted dashboard does not repeat them. The dashboard cannot use
 * SQLite for this, because only the poller writes to SQLite. If the directory is not writable, keeps the record only in
 * memory.
 */
export function createOutageRecords(path: string): OutageRecords {
  let latest: OutageRecord | undefined;
  return {
    read(since) {
      latest =
        latest?.since === since ? latest : (readRecord(path, since) ?? { since, sends: 0, sentTo: [] });
      return latest;
    },
    save(record) {
      latest = record;
      try {
        writeFileSync(`${path}.new`, JSON.stringify(record), { mode: 0o600 });
        renameSync(`${path}.new`, path);
      } catch {
        // Memory still has the record.
      }
    },
  };
}

function readRecord(path: string, since: number): OutageRecord | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof value !== 'object' || value === null || !('since' in value) || value.since !== since)
      return undefined;
    const sends = 'sends' in value && typeof value.sends === 'number' ? value.sends : 0;
    const names: unknown[] = 'sentTo' in value && Array.isArray(value.sentTo) ? value.sentTo : [];
    return { since, sends, sentTo: names.map(String) };
  } catch {
    return undefined;
  }
}
