import { LedgerMessage } from '@mergexo/core';
import { QUEUES } from './create-board.js';
import { createQueueReader, type QueueCounts, type QueueReader } from './read-queue.js';
import type { RedisLine } from './redis-line.js';

export type Carrier = {
  counts: readonly { queue: string; counts: QueueCounts }[];
  /** The step that each attempt named last, by turn. */
  progress: ReadonlyMap<string, string>;
};

const PROGRESS_ID = /^progress-([0-9a-f]{64})-(\d{1,9})-(\d{1,9})$/;
/** The ledger keeps a minute of answered messages, and no more than this. */
const LOOKED_AT = 1_000;

/** What only Redis knows: how long the queues are, and what the workers said last. */
export function readCarrier(line: RedisLine, prefix: string, turnKeys: readonly string[]): Promise<Carrier> {
  return line.read(async (redis) => {
    const [counts, progress] = await Promise.all([
      Promise.all(
        QUEUES.map(async ({ name: queue }) => ({
          queue,
          counts: await createQueueReader(redis, prefix, queue).countJobs(),
        })),
      ),
      readProgress(createQueueReader(redis, prefix, 'ledger'), turnKeys),
    ]);
    return { counts, progress };
  });
}

async function readProgress(
  ledger: QueueReader,
  turnKeys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (turnKeys.length === 0) return new Map();
  const ids = await ledger.listIds('completed', 0, LOOKED_AT - 1);
  const found = await Promise.all(
    turnKeys.map(async (turnKey): Promise<[string, string][]> => {
      const id = findLatest(ids, turnKey);
      const step = id === undefined ? undefined : readStep((await ledger.readJob(id))?.fields['data']);
      return step === undefined ? [] : [[turnKey, step]];
    }),
  );
  return new Map(found.flat());
}

export function findLatest(ids: readonly string[], turnKey: string): string | undefined {
  const said = ids.flatMap((id) => {
    const [, key, attempt, sequence] = PROGRESS_ID.exec(id) ?? [];
    return key === turnKey ? [{ id, attempt: Number(attempt), sequence: Number(sequence) }] : [];
  });
  return said.toSorted((one, other) => other.attempt - one.attempt || other.sequence - one.sequence)[0]?.id;
}

function readStep(data: string | undefined): string | undefined {
  try {
    const envelope: unknown = JSON.parse(data ?? '');
    if (typeof envelope !== 'object' || envelope === null || !('text' in envelope)) return undefined;
    const message = LedgerMessage.safeParse(JSON.parse(String(envelope.text)));
    return message.success && message.data.kind === 'progress' ? message.data.step : undefined;
  } catch {
    return undefined;
  }
}
