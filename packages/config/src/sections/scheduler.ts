import { DEFAULT_WEIGHTS } from '@mergexo/core/scheduler';
import { decimal } from '../kinds/basics.js';
import { key } from './section.js';

export const scheduler = {
  title: 'scheduler',
  about:
    'Which merged design is implemented next: `priority_weight × priority − conflict_weight × conflict risk − staleness_penalty × days waiting`.',
  shape: {
    priorityWeight: key(decimal(0, 1000).default(DEFAULT_WEIGHTS.priorityWeight), {
      about: 'Weight of the priority, 1 to 5.',
    }),
    conflictWeight: key(decimal(0, 1000).default(DEFAULT_WEIGHTS.conflictWeight), {
      about: 'Weight of the risk, 0 to 1, of touching what open pull requests touch.',
    }),
    stalenessPenalty: key(decimal(-100, 100).default(DEFAULT_WEIGHTS.stalenessPenalty), {
      about: 'What a day of waiting costs. Negative: waiting work gains, and never starves.',
    }),
    conflictThreshold: key(decimal(0, 1).default(DEFAULT_WEIGHTS.conflictThreshold), {
      about: 'Above this risk a candidate waits for the other work, while its patience lasts.',
    }),
    patienceDays: key(decimal(0, 365).default(DEFAULT_WEIGHTS.patienceDays), {
      about: 'So long a candidate lets work go first that it overlaps with; then it starts all the same.',
    }),
  },
};
