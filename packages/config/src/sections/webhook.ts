import { listenAddress } from '../kinds/urls.js';
import { key } from './section.js';

export const webhook = {
  title: 'webhook',
  about:
    'Webhooks from GitHub, so that MergeXO reacts within a second instead of at the next poll ([operations](operations.md#webhooks)). The secret comes from the environment (`MERGEXO_WEBHOOK_SECRET`).',
  shape: {
    listen: key(listenAddress().optional(), {
      about: 'Host and port on which the poller accepts deliveries, at the path `/webhook`.',
      absent: 'no webhook',
      example: '127.0.0.1:7421',
    }),
  },
};
