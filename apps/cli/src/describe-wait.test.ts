import { aTurn } from '@mergexo/testkit';
import { describeStatus, describeWait, type Situation } from './describe-wait.js';

const NOW = Date.parse('2026-11-17T10:00:00Z');
const run = { status: 'running', blockedKind: null, error: null } as const;
const failed = aTurn({
  state: 'queued',
  heartbeatAt: NOW,
  notBefore: NOW + 300_000,
  reason: 'the agent exited with code 1',
});
const situation = (turn: Situation['turn']): Situation => ({
  run,
  pull: undefined,
  turn,
  pending: 0,
  now: NOW,
});

describe('describeStatus and describeWait', () => {
  it.each(['queued', 'frozen'] as const)('shows the retry time of a %s turn', (state) => {
    const waiting = situation({ ...failed, state });
    expect(describeStatus(waiting)).toBe('waiting to retry at 10:05 UTC');
    expect(describeWait(waiting)).toBe('the retry at 10:05 UTC (bugfix_start): the agent exited with code 1');
  });

  it('shows a blocked run as blocked even if a retry is scheduled', () => {
    expect(describeStatus({ ...situation(failed), run: { status: 'blocked' } })).toBe('blocked');
  });

  it.each<[string, Partial<Situation['run']>, string]>([
    ['max_open_runs', {}, 'free capacity'],
    ['max_cost_usd_per_day', {}, '00:00 UTC, or an operator'],
    ['max_turns_per_run', {}, 'an operator'],
    ['max_turns_per_run', { status: 'awaiting_issue_followup' }, 'an operator'],
  ])('names what a run over the limit %s waits for: %j', (blockedKind, more, whom) => {
    const capped = Object.assign({ ...run, status: 'ready', error: '2 of 2' }, { blockedKind }, more);
    expect(describeWait({ ...situation(undefined), run: capped })).toBe(`${whom}: 2 of 2`);
  });

  it('shows the status of the run if no retry is scheduled', () => {
    const queued = situation({ ...failed, notBefore: null });
    expect(describeStatus(queued)).toBe('running');
    expect(describeWait(queued)).toBe('a free worker (bugfix_start)');
  });
});
