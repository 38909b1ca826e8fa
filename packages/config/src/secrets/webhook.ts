import { isLoopbackHost } from '@mergexo/core/basics';
import type { Config } from '../parse/config.js';
import { parseUrl } from '../values/is-loopback-url.js';

export type Webhook = { url: string } | { problem: string };
type Env = Readonly<Record<string, string | undefined>>;

/**
 * Reads the address of the webhook. A missing or forbidden address becomes a problem instead of an error, because
 * notifications must never stop the work. The problem does not quote the address, which is a secret.
 */
export function readWebhook(name: string | undefined, env: Env): Webhook | undefined {
  if (name === undefined) return undefined;
  const value = env[name];
  if (value === undefined)
    return { problem: `the environment variable ${name} (notify.webhook_env) is not set` };
  const url = parseUrl(value);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname)))
    return { url: url.href };
  return {
    problem: `the environment variable ${name} (notify.webhook_env) must be an https:// URL, or http:// on a loopback host`,
  };
}

/** The variables that workers, agents and other programs must not get. */
export function listWebhookNames({ notify }: Pick<Config, 'notify'>): string[] {
  return notify.webhookEnv === undefined ? [] : [notify.webhookEnv];
}

/** Parts of the path that are shorter also occur in ordinary texts. */
const MIN_SECRET = 16;

/** The address, and the parts of its path that identify the channel. */
export function listWebhookSecrets(webhook: Webhook | undefined): string[] {
  if (webhook === undefined || 'problem' in webhook) return [];
  const { pathname, search } = new URL(webhook.url);
  const parts = `${pathname}${search}`.split(/[/?&=]/).filter((part) => part.length >= MIN_SECRET);
  return pathname.length < 2 ? parts : [webhook.url, pathname, ...parts];
}
