import { decimal, wholeNumber } from '../kinds/basics.js';
import { key } from './section.js';

const tokens = () => wholeNumber(1, 10_000_000_000);
const dollars = () => decimal(0.01, 1_000_000);

export const limits = {
  title: 'limits',
  about:
    'Caps. What is over a cap is parked with one notice, and goes on when a person says so or there is room.',
  shape: {
    maxOpenRuns: key(wholeNumber(1, 1000).default(20), {
      about: 'Issues in work at once, per repository.',
    }),
    maxOpenPrs: key(wholeNumber(1, 1000).default(10), {
      about: 'Pull requests of ours that wait for people at once, per repository; new work waits meanwhile.',
    }),
    maxTurnsPerRun: key(wholeNumber(1, 10_000).default(50), { about: 'Turns that one run may take.' }),
    maxFailuresPerRun: key(wholeNumber(1, 100).default(3), {
      about: 'Failures of the agent per run, counted since a person last replied on the issue.',
    }),
    maxCiFixTurnsPerHead: key(wholeNumber(0, 20).default(2), {
      about: 'Turns that failing checks alone may open for one head of a pull request.',
    }),
    maxQueuedFeedback: key(wholeNumber(1, 10_000).default(20), {
      about: 'Feedback turns that wait in the queue at once.',
    }),
    maxConcurrentImplementations: key(wholeNumber(1, 1000).optional(), {
      about: 'Implementations in work at once, whatever the number of hosts.',
      absent: 'the value of `runtime.worker_count`',
      example: 2,
    }),
    maxTokensPerRun: key(tokens().optional(), {
      about: 'Tokens that one run may use.',
      absent: 'no cap',
      example: 5_000_000,
    }),
    maxTokensPerDay: key(tokens().optional(), {
      about: 'Tokens that all runs together may use in a day (UTC).',
      absent: 'no cap',
      example: 50_000_000,
    }),
    maxCostUsdPerRun: key(dollars().optional(), {
      about: 'US dollars that one run may cost, where the agent tells its cost.',
      absent: 'no cap',
      example: 10,
    }),
    maxCostUsdPerDay: key(dollars().optional(), {
      about: 'US dollars that all runs together may cost in a day (UTC).',
      absent: 'no cap',
      example: 100,
    }),
  },
};
