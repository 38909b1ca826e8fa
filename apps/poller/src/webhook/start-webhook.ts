import { readWebhookSecrets, type Settings } from '@mergexo/config';
import { Failure, type Log } from '@mergexo/core/basics';
import type { Delivery } from '@mergexo/core/webhook';
import type { GitHubLink, Self } from '../tools.js';
import type { Nudges } from './nudges.js';
import { serveWebhook, type WebhookOptions } from './serve-webhook.js';

/** How often rejected deliveries are logged, because anybody can send them. */
const REJECTION_LOG_MS = 60_000;
const monotonicNow = (): number => performance.now();

type WebhookTools = {
  log: Log;
  nudges: Pick<Nudges, 'note'>;
  rhythm: { noteDelivery(): void; isDelivering(): boolean };
  link: Pick<GitHubLink, 'connected'>;
  nudge: () => void;
};

/** Returns why the webhook does not work, or `quiet` while no deliveries arrive; undefined while they do. */
export type WebhookState = () => Failure | 'quiet' | undefined;

/** Accepts webhooks if they are configured. A port in use does not stop the poller, which keeps polling. */
export async function startWebhook(
  { config, webhookSecret }: Settings,
  { log, rhythm, ...tools }: WebhookTools,
  cleanups: (() => unknown)[],
): Promise<WebhookState | undefined> {
  const { listen } = config.webhook;
  if (listen === undefined) return undefined;
  const secrets = readWebhookSecrets(webhookSecret);
  const onRejected = createRejectionLog(log);
  const onDelivery = (delivery: Delivery): void => {
    if (delivery.kind === 'ping') log.info({}, 'GitHub reached the webhook with a test delivery');
    rhythm.noteDelivery();
    if (noteRepos(tools, delivery)) tools.nudge();
  };
  const trouble = await listenFor({ ...listen, secrets, onDelivery, onRejected }, log, cleanups);
  return () => trouble ?? (rhythm.isDelivering() ? undefined : 'quiet');
}

/** Returns why the server cannot listen; undefined if it does. */
async function listenFor(
  options: WebhookOptions,
  log: Log,
  cleanups: (() => unknown)[],
): Promise<Failure | undefined> {
  const { host, port } = options;
  try {
    const server = await serveWebhook(options);
    cleanups.push(() => server.close());
    log.info({ host, port: server.port }, 'the webhook is listening');
    return undefined;
  } catch (error) {
    log.warn({ err: error }, 'the webhook cannot listen; MergeXO only polls');
    const reason = error instanceof Error ? error.message : String(error);
    return new Failure('invalid-data', `cannot listen on ${host}:${port} (webhook.listen): ${reason}`);
  }
}

/** Makes the repositories of a delivery due for a poll. Returns true if there is one. */
function noteRepos({ nudges, link }: Pick<WebhookTools, 'nudges' | 'link'>, delivery: Delivery): boolean {
  const connected = link.connected();
  if (connected === undefined || (delivery.kind !== 'repo' && delivery.kind !== 'unknown')) return false;
  const repos = connected.repos.filter(
    ({ id, config }) =>
      delivery.kind === 'unknown' ||
      (delivery.repoId === id && !isEcho(connected.viewer, config.allowedUsers, delivery.senderId)),
  );
  for (const { id } of repos) nudges.note(id);
  return repos.length > 0;
}

/**
 * True for the announcement of MergeXO's own post. If MergeXO uses the login of a person whose comments count, the
 * sender alone does not tell them apart.
 */
function isEcho({ ids, login }: Self, allowedUsers: readonly string[], senderId: number | null): boolean {
  const isPerson = allowedUsers.some((name) => name.toLowerCase() === login.toLowerCase());
  return senderId !== null && ids.has(senderId) && !isPerson;
}

function createRejectionLog(log: Log): (reason: string) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (reason) => {
    if (monotonicNow() - loggedAt < REJECTION_LOG_MS) return;
    loggedAt = monotonicNow();
    log.warn({ reason }, 'the webhook rejected a delivery; further rejections are not logged for a minute');
  };
}
