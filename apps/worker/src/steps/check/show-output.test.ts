import type { AgentStep } from '@mergexo/core/agent';
import { createRedact } from '@mergexo/core/text';
import { showOutput } from './show-output.js';

const plain = createRedact([]);

/** Returns the steps for an output of `count` lines. */
function show(count: number): string[] {
  const steps: AgentStep[] = [];
  const tools = {
    show: (step: AgentStep) => void steps.push(step),
    redact: createRedact(['canary-of-ours']),
  };
  const output = showOutput({ kind: 'test', path: 'test.sh' }, tools);
  for (let line = 1; line <= count; line += 1) output.onLine(`line ${line} canary-of-ours`, plain);
  output.end({ kind: 'failed', output: '' });
  return steps.map(({ kind, text }) => `${kind}: ${text}`);
}

const line = (number: number): string => `test: line ${number} [redacted]`;

describe('showOutput', () => {
  it('shows the program, its output without secrets, and how it ended', () => {
    expect(show(2)).toEqual(['test: test.sh', line(1), line(2), 'test: test.sh failed']);
  });

  it('shows the beginning and the end of a long output, and counts the lines between', () => {
    const steps = show(1_000);
    expect(steps.slice(300, 303)).toEqual([line(300), 'skip: 680 lines of output', line(981)]);
    expect(steps.slice(-2)).toEqual([line(1_000), 'test: test.sh failed']);
    expect(show(320)).not.toContainEqual(expect.stringContaining('skip'));
  });
});
