import { join } from 'node:path';
import { parseConfig } from '@mergexo/config';
import { silentLog } from '@mergexo/core/basics';
import { openState, type State } from '@mergexo/state';
import { aTurn, createTemporaryDirectory } from '@mergexo/testkit';
import { findFallback, noteAgentLimit, readAgentLimit } from './agent-limits.js';

const NOON = Date.parse('2026-01-02T12:00:00Z');
const HOUR_MS = 3_600_000;

describe('usage limits of agents', () => {
  let state: State;
  let directory: ReturnType<typeof createTemporaryDirectory>;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    state = openState(join(directory.path, 'state.db'));
  });
  afterEach(() => {
    state.close();
    directory.remove();
  });

  const note = (limitedAdapter: string): void =>
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
        limitedAdapter,
      },
    );

  it('pause an adapter until its usage limit resets, and no longer than that if the clock is set back', () => {
    note('codex');
    const left = (now: number) => readAgentLimit({ state, now: () => now }, 'codex')?.ms;
    expect([NOON, NOON + HOUR_MS - 1, NOON + HOUR_MS, NOON - 2 * HOUR_MS].map(left)).toEqual([
      HOUR_MS,
      1,
      undefined,
      undefined,
    ]);
  });

  it.each([
    ['the author', [], 'bugfix_start', undefined],
    ['the author’s fallback', ['codex'], 'bugfix_start', 'claude'],
    ['the author’s fallback for a fix', ['codex'], 'review_fix', 'claude'],
    ['the reviewer, whose agent has no limit', ['codex'], 'review', undefined],
    ['the reviewer’s fallback', ['claude'], 'review', 'codex'],
    ['no fallback if every agent has reached its limit', ['claude', 'codex'], 'review', undefined],
  ] as const)('choose %s', (_who, limited, kind, expected) => {
    const { repos } = parseConfig(
      '[agent]\nfallback = ["claude"]\n[review]\nagent = "claude"\nfallback = ["codex"]\n[repo.a]\nowner = "a"\nname = "a"',
      { homeDir: '/' },
    );
    for (const adapter of limited) note(adapter);
    const tools = { state, now: () => NOON, agentsOf: () => repos[0] };
    const find = (planDigest: string | null) =>
      findFallback(tools, { turn: aTurn({ kind, planDigest }), verdict: { kind: 'begun' } });
    expect(find(null)).toBe(expected);
    // A frozen plan needs no agent.
    expect(find('a'.repeat(64))).toBeUndefined();
  });
});
