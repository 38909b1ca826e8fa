import { type FailMessage, waitLeftMs } from '@mergexo/core';
import type { Records } from '../tools.js';
import { recordEvents } from './record-events.js';

const nameOf = (adapter: string): string => `limit/${adapter}`;

/** A provider that takes no more work is not asked again before its time; told once per limit. Inside a transaction. */
export function noteAgentLimit(tools: Records, message: FailMessage): void {
  const { state, now } = tools;
  const { limitedAdapter: adapter, retryAfterMs, reason } = message;
  if (adapter === undefined || retryAfterMs === null) return;
  const isKnown = readAgentLimit(tools, adapter) !== undefined;
  const since = now();
  const expiresAt = since + retryAfterMs;
  state.saveLease({ name: nameOf(adapter), holderId: reason.slice(0, 200), since, expiresAt });
  if (isKnown) return;
  const payload = { adapter, until: new Date(expiresAt).toISOString(), reason: reason.slice(0, 500) };
  recordEvents(tools, [{ type: 'agent_limit_reached', payload }]);
}

/** How long the adapter's turns still wait, and why. */
export function readAgentLimit(
  { state, now }: Pick<Records, 'state' | 'now'>,
  adapter: string,
): { ms: number; reason: string } | undefined {
  const lease = state.readLease(nameOf(adapter));
  if (lease === undefined) return undefined;
  const ms = waitLeftMs({ since: lease.since, until: lease.expiresAt }, now());
  return ms === 0 ? undefined : { ms, reason: lease.holderId };
}
