import { readHealth } from '@mergexo/state';
import type { Context } from '../../context.js';
import { readState } from '../../read-state.js';
import type { Verdict } from './verdict.js';

/** Reports the problems that `status` reports: no heartbeat, a rejected token, GitHub or Redis not responding. */
export function judgePoller(context: Context): Verdict {
  const problems = readState(
    context,
    (state, { config }) =>
      readHealth(state, {
        now: Date.now(),
        pollIntervalMs: config.runtime.pollIntervalSeconds * 1_000,
        configured: config.repos.map(({ fullName }) => fullName),
      }).problems,
  );
  const detail = problems.map(({ message }) => message).join('; ');
  return { ok: problems.length === 0, detail: detail || 'The poller is running, and GitHub responds' };
}
