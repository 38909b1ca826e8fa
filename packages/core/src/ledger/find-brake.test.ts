import { aTurn } from '@mergexo/testkit';
import { type Brake, findBrake } from './find-brake.js';

const NOW = 5_000;
const waiting = aTurn({ state: 'queued', heartbeatAt: 4_000, notBefore: 9_000 });

describe('findBrake', () => {
  it.each<
    [Parameters<typeof findBrake>[0]['status'], string | null, typeof waiting | undefined, Brake | undefined]
  >([
    ['blocked', 'agent_blocked', undefined, 'blocked'],
    ['blocked', 'agent_blocked', waiting, 'blocked'],
    ['awaiting_feedback', null, waiting, 'backoff'],
    ['running', null, waiting, 'backoff'],
    ['running', null, { ...waiting, notBefore: null }, undefined],
    ['awaiting_feedback', null, undefined, undefined],
    ['ready', null, undefined, undefined],
    ['ready', 'max_turns_per_run', undefined, 'limit'],
    ['ready', 'max_cost_usd_per_day', undefined, 'daily-limit'],
    ['ready', 'max_open_runs', undefined, undefined],
    ['ready', 'max_turns_per_run', { ...waiting, notBefore: null }, undefined],
    ['awaiting_issue_followup', 'agent_blocked', undefined, 'reply'],
    ['awaiting_issue_followup', 'max_open_runs', undefined, undefined],
    ['awaiting_issue_followup', 'max_tokens_per_run', undefined, 'limit'],
    ['awaiting_issue_followup', 'max_tokens_per_day', undefined, 'daily-limit'],
    ['closed', 'max_turns_per_run', undefined, undefined],
  ])('of a run that is %s, held by %s', (status, blockedKind, turn, brake) => {
    expect(findBrake({ status, blockedKind, turn, now: NOW })).toBe(brake);
  });
});
