import { type AgentStep, buildUsageStep } from '@mergexo/core/agent';
import type { State } from '@mergexo/state';

export const USED = {
  ...{ inputTokens: 40_000, cachedTokens: 30_000, outputTokens: 2_000 },
  ...{ adapter: 'codex', model: 'gpt-5' },
} as const;

const STEPS: readonly AgentStep[] = [
  { kind: 'read', text: 'src/export/write-rows.ts' },
  {
    kind: 'think',
    text: 'The last row is written after the file is closed, so the loop has to end earlier.',
  },
  { kind: 'edit', text: 'update src/export/write-rows.ts, update src/export/write-rows.test.ts' },
  { kind: 'run', text: 'npm test -- src/export' },
  buildUsageStep({ ...USED, costUsd: 0.07 }),
];

/** Adds the steps of a turn's only attempt. */
export function addSteps(state: State, turnKey: string, { count, at }: { count: number; at: number }): void {
  const steps = Array.from({ length: count }, (_, index) => STEPS[index % STEPS.length]).flatMap(
    (step) => step ?? [],
  );
  state.recordAgentSteps({ turnKey, attempt: 1, first: 0, steps }, at + 60_000);
}
