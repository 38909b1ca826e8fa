import { join } from 'node:path';
import { parseConfig } from '@mergexo/config';
import { silentLog } from '@mergexo/core/basics';
import { openState } from '@mergexo/state';
import { aTurn, createTemporaryDirectory } from '@mergexo/testkit';
import { noteAgentLimit, readAgentLimit, shortenWait } from './agent-limits.js';

const NOON = Date.parse('2026-01-02T12:00:00Z');
const HOUR_MS = 3_600_000;
const FORGED = {
  kind: 'fail',
  turnKey: 'a'.repeat(64),
  attempt: 1,
  cause: 'infrastructure',
  reason: 'usage-limit',
  retryAfterMs: 999_999_999,
  usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
  limitedAdapter: 'codex',
} as const;

describe('a forged usage limit of 11 days', () => {
  const directory = createTemporaryDirectory();
  const state = openState(join(directory.path, 'state.db'));
  const tools = { state, now: () => NOON, log: silentLog };
  afterAll(() => {
    state.close();
    directory.remove();
  });

  it('delays other turns for at most 12 hours', () => {
    noteAgentLimit(tools, FORGED);
    expect(readAgentLimit(tools, 'codex')?.ms).toBe(12 * HOUR_MS);
  });

  it('delays a turn for at most 12 hours even if no agent is named, such as after an overload', () => {
    const { limitedAdapter: _adapter, ...overload } = FORGED;
    const shortened = shortenWait({ ...tools, agentsOf: () => undefined }, aTurn({}), overload);
    expect(shortened).toMatchObject({ retryAfterMs: 12 * HOUR_MS });
  });

  it.each([
    ['', '[repo.a]\nowner = "a"\nname = "a"'],
    [
      ', even if the agent is not configured',
      '[agent]\nadapter = "claude"\n[repo.a]\nowner = "a"\nname = "a"',
    ],
  ])('delays its own turn for at most 12 hours%s', (_condition, toml) => {
    const { repos } = parseConfig(toml, { homeDir: '/' });
    const shortened = shortenWait({ ...tools, agentsOf: () => repos[0] }, aTurn({}), FORGED);
    expect(shortened).toMatchObject({ retryAfterMs: 12 * HOUR_MS });
  });
});
