import { join } from 'node:path';
import { silentLog } from '@mergexo/core/basics';
import { openState } from '@mergexo/state';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { noteAgentLimit, readAgentLimit } from './agent-limits.js';

const NOON = Date.parse('2026-01-02T12:00:00Z');
const HOUR_MS = 3_600_000;

it('pauses an adapter until its usage limit resets, and no longer than that if the clock is set back', () => {
  const directory = createTemporaryDirectory();
  const state = openState(join(directory.path, 'state.db'));
  try {
    noteAgentLimit(
      { state, now: () => NOON, log: silentLog },
      {
        kind: 'fail',
        turnKey: 'a'.repeat(64),
        attempt: 1,
        cause: 'infrastructure',
        reason: 'usage-limit',
        retryAfterMs: HOUR_MS,
        usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
        limitedAdapter: 'codex',
      },
    );
    const left = (now: number) => readAgentLimit({ state, now: () => now }, 'codex')?.ms;
    expect([NOON, NOON + HOUR_MS - 1, NOON + HOUR_MS, NOON - 2 * HOUR_MS].map(left)).toEqual([
      HOUR_MS,
      1,
      undefined,
      undefined,
    ]);
  } finally {
    state.close();
    directory.remove();
  }
});
