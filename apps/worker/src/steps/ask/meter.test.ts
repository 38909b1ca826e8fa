import { Usage } from '@mergexo/core/turns';
import { createMeter } from './meter.js';

describe('createMeter', () => {
  it('adds up the usage of all runs', () => {
    const meter = createMeter();
    meter.add({ inputTokens: 1, outputTokens: 2, costUsd: 0.5 });
    meter.add({ inputTokens: 10, outputTokens: 20, costUsd: 0.25 });
    expect(meter.total()).toEqual({ inputTokens: 11, outputTokens: 22, costUsd: 0.75 });
  });

  it('caps the usage at the maximum that a message allows', () => {
    const meter = createMeter();
    const absurd = { inputTokens: Number.MAX_SAFE_INTEGER, outputTokens: 0, costUsd: Number.MAX_VALUE };
    meter.add(absurd);
    meter.add(absurd);
    expect(Usage.safeParse(meter.total()).success).toBe(true);
  });
});
