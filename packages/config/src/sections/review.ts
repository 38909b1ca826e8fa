import { flag, oneOf, wholeNumber, word } from '../kinds/basics.js';
import { label } from '../kinds/github-names.js';
import { adapterName } from './agent.js';
import { key } from './section.js';

export const review = {
  title: 'review',
  about: 'The AI reviewer of implementation, bug fix and small job pull requests.',
  shape: {
    enabled: key(flag().default(true), { about: 'Review at all.' }),
    agent: key(adapterName().optional(), {
      about: 'The agent that reviews.',
      absent: 'the agent that wrote the change',
      example: 'claude',
    }),
    model: key(word().optional(), {
      about: 'Model that reviews.',
      absent: 'the model of that agent',
      example: 'opus',
    }),
    maxFixCycles: key(wholeNumber(0, 10).default(2), {
      about: 'Rounds of fixing and reviewing again; then a person is asked. 0 asks at once.',
    }),
    blockingSeverity: key(oneOf(['critical', 'high', 'medium', 'low']).default('high'), {
      about: 'Findings of this severity and above request changes.',
    }),
    maxFindings: key(wholeNumber(1, 50).default(10), {
      about: 'Most findings that are posted in one review; the gravest come first.',
    }),
    escalationLabel: key(label().default('agent:human-review'), {
      about: 'Label that a pull request gets when a person must decide.',
    }),
  },
};
