import { type Notice, renderChat } from '@mergexo/core/notices';
import { failed, SEND_MS, type Sent } from './channel.js';

/**
 * Posts a message in Slack's format. Follows no redirect, because another host must not get the message, and reads no
 * response body.
 */
export async function sendWebhook(
  { url, limitMs = SEND_MS }: { url: string; limitMs?: number },
  notices: readonly Notice[],
  signal?: AbortSignal,
): Promise<Sent> {
  const limit = AbortSignal.timeout(limitMs);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'mergexo' },
      body: JSON.stringify({
        text: renderChat(notices),
        mrkdwn: false,
        unfurl_links: false,
        unfurl_media: false,
      }),
      redirect: 'manual',
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    await response.body?.cancel();
    if (response.ok) return { kind: 'sent' };
    const isRedirect = response.status >= 300 && response.status < 400;
    return failed(
      `the webhook responded with ${response.status}${isRedirect ? '. MergeXO follows no redirect: use the new address' : ''}`,
    );
  } catch (error) {
    if (signal?.aborted) return { kind: 'aborted' };
    if (limit.aborted) return failed(`the webhook did not respond within ${limitMs / 1_000} s`);
    return failed(`the webhook cannot be reached: ${describe(error)}`);
  }
}

/**
 * Names the cause, such as ECONNREFUSED or a TLS error. `fetch` itself says only that it failed. Returns a code, because
 * a message could quote the address.
 */
function describe(error: unknown): string {
  const { cause } = Object(error);
  const { code } = Object(cause ?? error);
  return typeof code === 'string' ? code : 'unknown error';
}
