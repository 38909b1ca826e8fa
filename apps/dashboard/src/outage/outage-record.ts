import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** The sends about one outage of the poller, which `since` identifies. */
export type OutageRecord = { since: number; sends: number; sentTo: readonly string[] };

export type OutageRecords = { read(since: number): OutageRecord; save(record: OutageRecord): void };

/**
 * Remembers in a file what was sent, because only the poller writes to SQLite. A restarted dashboard then does not
 * repeat the message. If the directory is not writable, only memory remembers it.
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
