import { createHmac, randomUUID } from 'node:crypto';
import { findUser } from '../domain/users.js';
import type { HistoryEntry } from '../history/history.js';
import { viewRepo } from '../views/repo.js';
import { viewUser } from '../views/user.js';
import { type Delivery, stampOf, type World } from '../world/world.js';
import { type Announcement, createDescriber } from './describe-change.js';
import { describeDependency } from './describe-dependency.js';
import { createInstallationDescriber } from './describe-installation.js';
import { listAppTargets, type Target } from './list-targets.js';

const TIMEOUT_MS = 10_000;

export type WebhookOptions = { url: string; secret: string };

export type Webhooks = {
  hear(entry: HistoryEntry): void;
  /** All deliveries so far, in order. */
  list(): readonly Delivery[];
  /** Sends a delivery again with the same id, as the button on GitHub does. */
  redeliver(id: string): Promise<void>;
  stop(): Promise<void>;
};

type Hook = Pick<Target, 'url' | 'secret' | 'headers'>;
type Outgoing = {
  event: string;
  payload: Record<string, unknown>;
  target: Target;
  repositoryId: number | null;
};

/** Sends signed deliveries about every change, one after the other. Like GitHub, never retries a delivery automatically. */
export function createWebhooks(world: World, own: WebhookOptions | undefined): Webhooks {
  const describe = createDescriber(world);
  const describeInstallation = createInstallationDescriber(world);
  const { deliveries } = world;
  const hooks = new Map<string, Hook>();
  const stopping = new AbortController();
  let last = Promise.resolve();
  const sendNow = (hook: Hook, delivery: Pick<Delivery, 'id' | 'event' | 'body'>) =>
    send(hook, delivery, stopping.signal);
  const deliver = async ({ event, payload, target, repositoryId }: Outgoing): Promise<void> => {
    const delivery = { id: randomUUID(), event, body: JSON.stringify(payload) };
    hooks.set(delivery.id, target);
    const status = await sendNow(target, delivery);
    const { appId, installationId } = target;
    const action = typeof payload['action'] === 'string' ? payload['action'] : null;
    const facts = { number: deliveries.length + 1, deliveredAt: stampOf(world), action, status };
    deliveries.push({ ...delivery, ...facts, appId, installationId, repositoryId });
  };
  const announce = async (
    { event, repo, build }: Announcement,
    { targets, by }: { targets: Target[]; by: string | null },
  ): Promise<void> => {
    if (stopping.signal.aborted) return;
    const view = { world, api: world.url, repo };
    const sender = by === null ? undefined : findUser(world, by);
    const common = {
      ...(await build(view)),
      repository: viewRepo(view),
      ...(sender && { sender: viewUser(view, sender) }),
    };
    for (const target of targets)
      await deliver({ event, payload: { ...common, ...target.payload }, target, repositoryId: repo.id });
  };
  const enqueue = (work: () => Promise<void>): void => {
    last = last.then(work).catch(() => {});
  };
  return {
    hear(entry) {
      const by = 'by' in entry ? entry.by : null;
      const announcements = [describe(entry) ?? [], describeDependency(world, entry)].flat();
      for (const announcement of announcements) {
        const { event, repo } = announcement;
        // Chooses the recipients when the change happens, not when the delivery is sent.
        const targets = [...ownTarget(own), ...listAppTargets(world, event, repo)];
        if (targets.length > 0) enqueue(() => announce(announcement, { targets, by }));
      }
      for (const { event, targets, payload } of describeInstallation(entry))
        for (const target of targets)
          enqueue(() => deliver({ event, payload: { ...payload }, target, repositoryId: null }));
    },
    list: () => deliveries,
    async redeliver(id) {
      const delivery = deliveries.find((one) => one.id === id);
      const hook = hooks.get(id);
      if (delivery === undefined || hook === undefined) throw new Error(`The twin has no delivery ${id}.`);
      await sendNow(hook, delivery);
    },
    stop() {
      stopping.abort();
      return last;
    },
  };
}

const ownTarget = (own: WebhookOptions | undefined): Target[] =>
  own ? [{ ...own, appId: null, installationId: null, headers: {}, payload: {} }] : [];

/** Returns the status of the response, or null if the endpoint did not respond. */
async function send(
  { url, secret, headers }: Hook,
  { id, event, body }: Pick<Delivery, 'id' | 'event' | 'body'>,
  stopping: AbortSignal,
): Promise<number | null> {
  const digest = createHmac('sha256', secret).update(body).digest('hex');
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]),
      headers: {
        'content-type': 'application/json',
        'user-agent': 'GitHub-Hookshot/twin',
        'x-github-event': event,
        'x-github-delivery': id,
        'x-hub-signature-256': `sha256=${digest}`,
        ...headers,
      },
      body,
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
}
