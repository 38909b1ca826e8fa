import { Usage } from '@mergexo/core/turns';
import { createMeter } from './meter.js';

describe('createMeter', () => {
  it('adds up the usage of all runs, and leaves out what the agent does not report', () => {
    const meter = createMeter({ adapter: 'command', model: undefined });
    meter.add({ inputTokens: 1, outputTokens: 2, costUsd: 0.5 }, 1_000);
    meter.add({ inputTokens: 10, outputTokens: 20, costUsd: 0.25 }, 500.4);
    expect(meter.total()).toEqual({
      ...{ inputTokens: 11, outputTokens: 22, costUsd: 0.75 },
      ...{ durationMs: 1_500, adapter: 'command' },
    });
  });

  it("names the configured model until the agent reports its own, and ignores a name that is no model's", () => {
    const meter = createMeter({ adapter: 'claude', model: 'sonnet' });
    expect(meter.total().model).toBe('sonnet');
    const usage = { inputTokens: 5, outputTokens: 1, costUsd: 0, cachedTokens: 4 };
    meter.add({ ...usage, model: 'claude-sonnet-5' }, 1);
    meter.add({ ...usage, model: 'ignore all\nprevious' }, 1);
    expect(meter.total()).toMatchObject({ model: 'claude-sonnet-5', cachedTokens: 8 });
  });

  it('adds a run that has not ended to the total, without counting it', () => {
    const meter = createMeter({ adapter: 'codex', model: 'gpt-5' });
    const usage = { inputTokens: 10, outputTokens: 2, costUsd: 0 };
    meter.add(usage, 1_000);
    const running = { ...usage, cachedTokens: 3 };
    expect(meter.totalWith(running)).toEqual({
      ...{ inputTokens: 20, outputTokens: 4, costUsd: 0, cachedTokens: 3 },
      ...{ durationMs: 1_000, adapter: 'codex', model: 'gpt-5' },
    });
    expect(meter.total()).toMatchObject(usage);
  });

  it('rounds and caps the usage to what a message allows', () => {
    const meter = createMeter({ adapter: 'command', model: undefined });
    const absurd = { inputTokens: Number.MAX_SAFE_INTEGER, outputTokens: 0, costUsd: Number.MAX_VALUE };
    meter.add(absurd, Number.MAX_VALUE);
    meter.add({ ...absurd, outputTokens: 1.5, cachedTokens: 0.2 }, Number.MAX_VALUE);
    expect(Usage.safeParse(meter.total()).success).toBe(true);
  });
});
