import { decimal } from '../kinds/basics.js';
import { key } from './section.js';

const dollars = () => decimal(0, 10_000);

/** One table per model. `resolveConfig` builds the list of prices. */
export const price = {
  title: 'prices.<model>',
  about:
    'One table per model, in US dollars per million tokens. MergeXO computes the cost of agents that report tokens but no cost, such as Codex. `<model>` is the model’s name in the config, or the name that the agent reports. Quote it if it contains dots. Without a price, the cost stays unknown. A price applies to turns that end after MergeXO has read it.',
  isOptional: true,
  shape: {
    input: key(dollars(), { about: 'Input tokens.', example: 1.25 }),
    cachedInput: key(dollars().optional(), {
      about: 'Input tokens that the provider read from its cache.',
      absent: 'the value of `input`',
      example: 0.125,
    }),
    output: key(dollars(), { about: 'Output tokens.', example: 10 }),
  },
};
