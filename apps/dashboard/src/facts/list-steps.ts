export type AgentStep = { at: number; text: string };

type Event = { type: string; createdAt: number; payload: unknown };

const SHOWN = 3;

/**
 * Lists the latest agent steps of the current attempt, newest first. Skips consecutive duplicates, which a restarted
 * poller may record.
 */
export function listSteps(events: readonly Event[]): AgentStep[] {
  const begun = events.findLastIndex(({ type }) => type === 'turn_begun');
  const steps = events
    .slice(begun + 1)
    .filter(({ type }) => type === 'turn_progress')
    .map(({ createdAt: at, payload }) => ({ at, text: readStep(payload) }))
    .filter(({ text }, index, all) => text !== '' && text !== all[index - 1]?.text);
  return steps.slice(-SHOWN).reverse();
}

export function readStep(payload: unknown): string {
  if (typeof payload !== 'object' || payload === null || !('step' in payload)) return '';
  return typeof payload.step === 'string' ? payload.step : '';
}
