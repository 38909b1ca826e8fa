import { type EvalScore, NO_MEASURES } from '@mergexo/core/eval';
import { createRedact } from '@mergexo/core/text';
import { CANARIES, CANARY_ROWS, findLeak } from '@mergexo/testkit';
import { createContext } from '../context.js';
import { createTell, printResult } from './report-eval.js';

const redact = createRedact(Object.values(CANARIES));
const USAGE = { inputTokens: 1, outputTokens: 1, costUsd: 1 };
const SCORE = { prNumber: 1, replay: 'start', without: null, outcome: 'failed', minutes: 1 } as const;

describe('the output of an evaluation', () => {
  const print = (words: string, json: boolean): string => {
    const printed: string[] = [];
    const write = (text: string): void => void printed.push(text);
    const context = createContext({ json, env: {}, homeDir: '/', write, redact });
    const score: EvalScore = { ...NO_MEASURES, ...SCORE, usage: USAGE, reason: words };
    const measured = [{ without: null, score, isOwn: true }];
    printResult(
      context,
      { measured, leaks: [words], skipped: [words], stopped: words },
      { ablations: [], dir: '/d' },
    );
    createTell(context, write)(words);
    return printed.join('\n');
  };

  it.each(CANARY_ROWS)('contains no trace of $name $encoding', ({ secret, text }) => {
    for (const json of [true, false]) {
      const printed = print(`It says ${text} here.`, json);
      expect(findLeak(printed, { secret, text })).toBeUndefined();
      expect(printed).toContain('[redacted]');
    }
  });
});
