import { createHmac } from 'node:crypto';
import { readSettings, readWebhookSecrets } from '@mergexo/config';
import { renderSignature } from '@mergexo/core/webhook';
import type { Context } from '../../context.js';
import { toLine } from '../../printable.js';

const TIMEOUT_MS = 15_000;

/** The addresses on which a server listens, but to which no client can connect. */
const ANY_ADDRESS = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** Sends a signed test delivery, as GitHub does for a new webhook. Returns false if it does not arrive. */
export async function testWebhook(context: Context, { url }: { url?: string | undefined }): Promise<boolean> {
  const { config, webhookSecret } = readSettings(context);
  const { listen } = config.webhook;
  if (listen === undefined) {
    context.print({ ok: false, url: null, problem: 'no webhook is configured' }, () => [
      'No webhook is configured. Set webhook.listen in the config, such as "127.0.0.1:7421".',
    ]);
    return false;
  }
  const [secret = ''] = readWebhookSecrets(webhookSecret);
  const address = url ?? toUrl(listen);
  const problem = await deliver(address, secret);
  context.print({ ok: problem === undefined, url: address, problem: problem ?? null }, () =>
    problem === undefined
      ? [`✓ The poller accepted a signed test delivery at ${toLine(address, 400)}.`]
      : [`✗ ${toLine(address, 400)}: ${toLine(problem, 400)}`],
  );
  return problem === undefined;
}

function toUrl({ host, port }: { host: string; port: number }): string {
  const target = ANY_ADDRESS.get(host) ?? host;
  return `http://${target.includes(':') ? `[${target}]` : target}:${port}/webhook`;
}

/** Returns the problem and the next step; undefined if the delivery was accepted. */
async function deliver(url: string, secret: string): Promise<string | undefined> {
  const body = JSON.stringify({ zen: 'MergeXO tests its webhook.' });
  const signature = renderSignature(createHmac('sha256', secret).update(body).digest('hex'));
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        'content-type': 'application/json',
        'x-github-event': 'ping',
        'x-hub-signature-256': signature,
      },
      body,
    });
    await response.arrayBuffer();
    return describeStatus(response.status);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    return `no response (${reason}). Check that the poller runs and that this address leads to it`;
  }
}

function describeStatus(status: number): string | undefined {
  if (status === 202) return undefined;
  if (status === 401)
    return 'the secret is wrong (401). Give the poller and this command the same MERGEXO_WEBHOOK_SECRET';
  if (status === 404) return 'not found (404). The path of the webhook is /webhook';
  return `the server responded with ${status}. Check that your proxy forwards the request unchanged to webhook.listen`;
}
