import type { Notice } from '@mergexo/core/notices';
import type { Redact } from '@mergexo/core/text';
import { type Channel, failed } from './channel.js';
import { type Notifier, runNotifier } from './run-notifier.js';
import { sendDesktop } from './send-desktop.js';
import { sendWebhook } from './send-webhook.js';

export type NotifySettings = {
  /** Undefined without a webhook. A problem replaces an address that is missing or not allowed. */
  webhook: { url: string } | { problem: string } | undefined;
  command: readonly string[] | undefined;
  desktop: boolean;
  env: Notifier['env'];
  /** Removes credentials from every text before it is sent, and from every reason. */
  redact: Redact;
  /** Shorter in tests. */
  limitMs?: number;
};

/** Creates the configured channels. Without any, MergeXO sends no notifications. */
export function createChannels(settings: NotifySettings): Channel[] {
  const { webhook, command, desktop, env, limitMs } = settings;
  const limit = limitMs === undefined ? {} : { limitMs };
  const channels: Channel[] = [];
  if (webhook !== undefined)
    channels.push({
      name: 'webhook',
      send: async (notices, signal) =>
        'problem' in webhook
          ? failed(webhook.problem)
          : sendWebhook({ ...webhook, ...limit }, notices, signal),
    });
  if (command !== undefined)
    channels.push({
      name: 'command',
      send: (notices, signal) => runNotifier({ argv: command, env, ...limit }, renderJson(notices), signal),
    });
  if (desktop)
    channels.push({
      name: 'desktop',
      send: (notices, signal) => sendDesktop({ env, platform: process.platform }, notices, signal),
    });
  return channels.map((channel) => redactChannel(channel, settings.redact));
}

function redactChannel({ name, send }: Channel, redact: Redact): Channel {
  return {
    name,
    async send(notices, signal) {
      const clean = notices.map((notice) => ({
        ...notice,
        title: notice.title === null ? null : redact(notice.title),
        text: redact(notice.text),
      }));
      const sent = await send(clean, signal);
      return sent.kind === 'failed' ? { ...sent, reason: redact(sent.reason) } : sent;
    },
  };
}

/** One line of JSON for a program. */
function renderJson(notices: readonly Notice[]): string {
  const shown = notices.map(({ at, ...notice }) => ({ ...notice, time: new Date(at).toISOString() }));
  return `${JSON.stringify({ version: 1, notifications: shown })}\n`;
}
