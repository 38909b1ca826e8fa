import { NOTICE_KINDS } from '@mergexo/core/notices';
import { commandLine, secretVariable } from '../kinds/arguments.js';
import { choices, flag } from '../kinds/basics.js';
import { key } from './section.js';

const KINDS = ['question', 'blocked', 'review', 'budget', 'token', 'poller'] as const;
const MEANINGS = KINDS.map((kind) => `\`${kind}\` (${NOTICE_KINDS[kind]})`).join(', ');

export const notify = {
  title: 'notify',
  about:
    'Notifications, for people who do not watch GitHub all day. MergeXO sends none unless you set at least one of `webhook_env`, `command` or `desktop`.',
  shape: {
    webhookEnv: key(secretVariable().optional(), {
      about:
        'Name of the environment variable with the address of a Slack-compatible webhook: an https:// URL, or http:// on a loopback host. The address is a secret, so it does not belong in this file.',
      absent: 'no webhook',
      example: 'MERGEXO_NOTIFY_WEBHOOK',
    }),
    command: key(commandLine().optional(), {
      about:
        'A program that receives each message as one line of JSON on standard input. It runs on the poller’s host, without a shell and without MergeXO’s secrets, and must exit with 0 within 10 s.',
      absent: 'none',
      example: ['/usr/local/bin/notify-team'],
    }),
    desktop: key(flag().default(false), {
      about: 'Shows messages on the desktop of the poller’s host, with `osascript` or `notify-send`.',
    }),
    events: key(choices(KINDS).default([...KINDS]), { about: `What to notify about: ${MEANINGS}.` }),
  },
};
