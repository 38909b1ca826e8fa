import { DEFAULT_WEIGHTS } from '@mergexo/core/scheduler';
import { decimal } from '../kinds/basics.js';
import { key } from './section.js';

export const scheduler = {
  title: 'scheduler',
  about:
    'Decides which merged design MergeXO implements next. Score: `priority_weight × priority − conflict_weight × conflict risk − staleness_penalty × days waiting`.',
  shape: {
    priorityWeight: key(decimal(0, 1000).default(DEFAULT_WEIGHTS.priorityWeight), {
      about: 'Weight of the priority, 1 to 5.',
    }),
    conflictWeight: key(decimal(0, 1000).default(DEFAULT_WEIGHTS.conflictWeight), {
      about: 'Weight of the conflict risk, 0 to 1: how much a design overlaps with open work.',
    }),
    stalenessPenalty: key(decimal(-100, 100).default(DEFAULT_WEIGHTS.stalenessPenalty), {
      about:
        'Penalty per day of waiting. A negative value favors work that has waited longer, so no work waits forever.',
    }),
    conflictThreshold: key(decimal(0, 1).default(DEFAULT_WEIGHTS.conflictThreshold), {
      about:
        'If the conflict risk is higher than this, a design waits for the work that it overlaps with, for at most `patience_days`.',
    }),
    patienceDays: key(decimal(0, 365).default(DEFAULT_WEIGHTS.patienceDays), {
      about: 'How many days a design waits for overlapping work before MergeXO implements it anyway.',
    }),
  },
};
