import { readSettings } from '@mergexo/config';
import { MERGEXO_CLI } from '@mergexo/core/basics';
import type { Notice } from '@mergexo/core/notices';
import { createChannels, type Sent } from '@mergexo/notify';
import type { Context } from '../../context.js';
import { toLine } from '../../printable.js';

/** Sends a test message to every configured channel, with or without a running poller. Returns false if one fails. */
export async function testNotifications(context: Context): Promise<boolean> {
  const { config, webhook, childEnv: env, redact } = readSettings(context);
  const { command, desktop } = config.notify;
  const channels = createChannels({ webhook, command, desktop, env, redact });
  const now = Date.now();
  const notice: Notice = {
    id: `test-${now}`,
    kind: 'poller',
    ...{ repo: null, number: null, title: null, url: null, at: now },
    text: `This is a test of \`${MERGEXO_CLI} notify test\`. Notifications arrive here.`,
  };
  const results = await Promise.all(
    channels.map(async ({ name, send }) => ({ channel: name, ...describe(await send([notice])) })),
  );
  const ok = results.length > 0 && results.every(({ sent }) => sent);
  context.print({ ok, channels: results }, () =>
    results.length === 0
      ? ['No notifications are configured. Set webhook_env, command or desktop in [notify].']
      : results.map(({ channel, sent, reason }) =>
          sent ? `✓ ${channel}: sent` : `✗ ${channel}: ${toLine(reason ?? '', 400)}`,
        ),
  );
  return ok;
}

function describe(sent: Sent): { sent: boolean; reason: string | null } {
  return { sent: sent.kind === 'sent', reason: sent.kind === 'failed' ? sent.reason : null };
}
