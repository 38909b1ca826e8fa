import { flag, oneOf, wholeNumber, word } from '../kinds/basics.js';
import { label } from '../kinds/github-names.js';
import { adapterName } from './agent.js';
import { key } from './section.js';

export const review = {
  title: 'review',
  about: 'The AI reviewer for implementations, bug fixes and small jobs.',
  shape: {
    enabled: key(flag().default(true), { about: 'Enables the AI review.' }),
    agent: key(adapterName().optional(), {
      about: 'The agent that reviews.',
      absent: 'the agent that wrote the change',
      example: 'claude',
    }),
    model: key(word().optional(), {
      about: 'The model that reviews.',
      absent: 'the model of that agent',
      example: 'opus',
    }),
    maxFixCycles: key(wholeNumber(0, 10).default(2), {
      about:
        'Maximum number of fix rounds before MergeXO asks a person to decide. With 0, MergeXO asks immediately.',
    }),
    blockingSeverity: key(oneOf(['critical', 'high', 'medium', 'low']).default('high'), {
      about: 'If a finding has this severity or a higher one, the review requests changes.',
    }),
    maxFindings: key(wholeNumber(1, 50).default(10), {
      about: 'Maximum number of findings in one review; the most severe come first.',
    }),
    escalationLabel: key(label().default('agent:human-review'), {
      about: 'Label for a pull request on which a person must decide.',
    }),
  },
};
