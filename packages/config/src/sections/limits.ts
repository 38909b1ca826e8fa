import { decimal, wholeNumber } from '../kinds/basics.js';
import { key } from './section.js';

const tokens = (about: string, example: number) =>
  key(wholeNumber(1, 10_000_000_000).optional(), { about, absent: 'no cap', example });
const dollars = (about: string, example: number) =>
  key(decimal(0.01, 1_000_000).optional(), { about, absent: 'no cap', example });

export const limits = {
  title: 'limits',
  about:
    'MergeXO pauses work that exceeds a limit, and posts one notice. The work resumes when there is capacity, or when an operator unblocks or retries it. A run is the work on one issue in one flow; a turn is one task for the agent.',
  shape: {
    maxOpenRuns: key(wholeNumber(1, 1000).default(20), {
      about: 'Issues in progress at the same time, per repository.',
    }),
    maxOpenPrs: key(wholeNumber(1, 1000).default(10), {
      about: "MergeXO's open pull requests, per repository. New work waits until people merge or close some.",
    }),
    maxTurnsPerRun: key(wholeNumber(1, 10_000).default(50), { about: 'Turns per run.' }),
    maxFailuresPerRun: key(wholeNumber(1, 100).default(3), {
      about: 'Agent failures per run since a person last replied on the issue.',
    }),
    maxCiFixTurnsPerHead: key(wholeNumber(0, 20).default(2), {
      about: 'Turns that only fix failed checks, per head commit of a pull request.',
    }),
    maxQueuedFeedback: key(wholeNumber(1, 10_000).default(20), {
      about: 'Feedback turns in the queue at the same time.',
    }),
    maxConcurrentImplementations: key(wholeNumber(1, 1000).optional(), {
      about: 'Implementations in progress at the same time, on all hosts together.',
      absent: 'the value of `runtime.worker_count`',
      example: 2,
    }),
    maxTokensPerRun: tokens('Tokens per run.', 5_000_000),
    maxTokensPerDay: tokens('Tokens per day (UTC), for all runs together.', 50_000_000),
    maxCostUsdPerRun: dollars(
      'US dollars per run. Applies if the agent reports its cost (Claude Code does, Codex does not) or its model has a price in `[prices]`.',
      10,
    ),
    maxCostUsdPerDay: dollars(
      'US dollars per day (UTC), for all runs together. Applies if the agent reports its cost or its model has a price in `[prices]`.',
      100,
    ),
  },
};
