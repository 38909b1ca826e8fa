import { flag, oneOf, wholeNumber, word } from '../kinds/basics.js';
import { label } from '../kinds/github-names.js';
import { adapterName, adapterNames } from './agent.js';
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
    fallback: key(adapterNames().optional(), {
      about: 'Agents that review while the reviewing agent has reached its usage limit.',
      absent: 'the fallback agents of the repository, without the agent that reviews',
      example: ['codex'],
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
    verify: key(flag().default(true), {
      about:
        'Asks a second agent to verify each finding that would block the merge. If it refutes a finding, MergeXO does not post the finding.',
    }),
    escalationLabel: key(label().default('agent:human-review'), {
      about: 'Label for a pull request on which a person must decide.',
    }),
  },
};
