import type { Turn } from '@mergexo/core/turns';
import type { Snapshot } from '@mergexo/state';

/**
 * Reads the turns that have not ended. The states are literals because SQLite would not use the partial index for
 * parameters. Reading the whole table is slow, because each row contains the complete turn package.
 */
export function readLiveTurns({ sqlite, state }: Snapshot): Turn[] {
  return sqlite
    .prepare<[], string>(
      `select turn_key from turns where state in ('open', 'queued', 'running', 'frozen', 'speaking')`,
    )
    .pluck()
    .all()
    .flatMap((turnKey) => state.readTurn(turnKey) ?? []);
}
