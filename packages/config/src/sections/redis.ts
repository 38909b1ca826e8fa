import { z } from 'zod';
import { flag } from '../kinds/basics.js';
import { kind } from '../kinds/kind.js';
import { redisUrl } from '../kinds/urls.js';
import { key } from './section.js';

export const redis = {
  title: 'redis',
  about:
    'The Redis server. The password does not belong in this file: set `MERGEXO_REDIS_PASSWORD`, or include it in `MERGEXO_REDIS_URL`.',
  shape: {
    url: key(redisUrl().optional(), {
      about: 'Address of your own Redis.',
      absent: 'MergeXO starts and stops a private Redis',
      example: 'redis://127.0.0.1:6379',
    }),
    allowInsecure: key(flag().default(false), {
      about:
        'Accepts a Redis on another host without a password. Anybody who reaches it can read prompts and diffs, and delay work.',
    }),
    keyPrefix: key(
      kind('1 to 32 letters, digits, hyphens and underscores', z.string().regex(/^[\w-]{1,32}$/)).default(
        'mergexo',
      ),
      { about: 'Prefix of every Redis key; lets two installations share one Redis.' },
    ),
  },
};
