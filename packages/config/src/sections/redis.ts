import { z } from 'zod';
import { flag } from '../kinds/basics.js';
import { kind } from '../kinds/kind.js';
import { redisUrl } from '../kinds/urls.js';
import { key } from './section.js';

export const redis = {
  title: 'redis',
  about:
    'Which Redis. A password never stands here: it comes from `MERGEXO_REDIS_PASSWORD`, or inside `MERGEXO_REDIS_URL`.',
  shape: {
    url: key(redisUrl().optional(), {
      about: 'Address of a Redis of your own.',
      absent: 'a private Redis is started and stopped with MergeXO',
      example: 'redis://127.0.0.1:6379',
    }),
    allowInsecure: key(flag().default(false), {
      about: 'Accept a Redis on another host without a password. Whoever reaches it can give workers work.',
    }),
    keyPrefix: key(
      kind('1 to 32 letters, digits, hyphens and underscores', z.string().regex(/^[\w-]{1,32}$/)).default(
        'mergexo',
      ),
      { about: 'Begins the name of every Redis key; lets two installations share one Redis.' },
    ),
  },
};
