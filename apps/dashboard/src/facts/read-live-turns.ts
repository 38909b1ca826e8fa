import type { Turn } from '@mergexo/core/turns';
import type { Facts } from './read-facts.js';

/**
 * Turns that are not over. The states stand in the query itself: only so does SQLite take the index of the live ones,
 * and a table of old turns, each with its whole package, is long to read.
 */
export function readLiveTurns({ sqlite, state }: Facts): Turn[] {
  return sqlite
    .prepare<[], string>(
      `select turn_key from turns where state in ('open', 'queued', 'running', 'frozen', 'speaking')`,
    )
    .pluck()
    .all()
    .flatMap((turnKey) => state.readTurn(turnKey) ?? []);
}
