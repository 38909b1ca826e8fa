import { describeLine } from './describe-line.js';
import type { ChildEvent } from './keep-running.js';

type Message = { facts: { event: string; [fact: string]: unknown }; text: string };

/** Renders an event of a child program. Most of its log lines produce no message. */
export function describeEvent(event: ChildEvent, verbose: boolean): Message[] {
  switch (event.kind) {
    case 'started': {
      const text = `${event.again ? 'restarted' : 'started'} (pid ${event.pid})`;
      return [{ facts: { event: 'started', pid: event.pid }, text }];
    }
    case 'line': {
      const described = describeLine(event.line);
      if (described !== undefined) return [{ facts: { event: described.event }, text: described.text }];
      return verbose ? [{ facts: { event: 'line' }, text: event.line }] : [];
    }
    case 'restarting': {
      const { exitReason, delayMs } = event;
      const text = `exited (${exitReason}). Restarting in ${delayMs / 1_000} s`;
      return [
        { facts: { event: 'restarting', exit_reason: exitReason, delay_seconds: delayMs / 1_000 }, text },
      ];
    }
    case 'cannot_start':
      return [describeFailedStart(event)];
    case 'gave_up':
      return [
        {
          facts: { event: 'gave_up' },
          text: `failed to start (${event.exitReason}). Last lines of its output:`,
        },
        ...event.lastLines.map((text) => ({ facts: { event: 'last_line' }, text })),
      ];
    case 'stopped':
      return [{ facts: { event: 'stopped' }, text: 'stopped' }];
  }
}

/** Describes a failed start. Includes the reason only if it changed. */
function describeFailedStart(event: Extract<ChildEvent, { kind: 'cannot_start' }>): Message {
  const { exitReason, delayMs, reason, again, optional } = event;
  const next = `Retrying in ${delayMs / 1_000} s`;
  const others = optional ? '; everything else keeps running' : '';
  return {
    facts: { event: 'restarting', exit_reason: exitReason, delay_seconds: delayMs / 1_000 },
    text: again
      ? `still cannot start. ${next}`
      : `cannot start: ${reason.replace(/\.$/, '')}${others}. ${next}`,
  };
}
