import { createHmac, randomUUID } from 'node:crypto';
import { findUser } from '../domain/users.js';
import type { HistoryEntry } from '../history/history.js';
import { viewRepo } from '../views/repo.js';
import { viewUser } from '../views/user.js';
import type { World } from '../world/world.js';
import { type Announcement, createDescriber } from './describe-change.js';
import { describeDependency } from './describe-dependency.js';

const TIMEOUT_MS = 10_000;

export type WebhookOptions = { url: string; secret: string };

/** `status` is null if the endpoint did not respond. */
export type WebhookDelivery = { id: string; event: string; body: string; status: number | null };

export type Webhooks = {
  hear(entry: HistoryEntry): void;
  /** All deliveries so far, in order. */
  list(): readonly WebhookDelivery[];
  /** Sends a delivery again with the same id, as the button on GitHub does. */
  redeliver(id: string): Promise<void>;
  stop(): Promise<void>;
};

/** Sends signed deliveries about every change, one after the other. Like GitHub, never retries a delivery automatically. */
export function createWebhooks(world: World, { url, secret }: WebhookOptions): Webhooks {
  const describe = createDescriber(world);
  const deliveries: WebhookDelivery[] = [];
  const stopping = new AbortController();
  let last = Promise.resolve();
  const send = async (delivery: Omit<WebhookDelivery, 'status'>): Promise<number | null> => {
    const digest = createHmac('sha256', secret).update(delivery.body).digest('hex');
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(TIMEOUT_MS)]),
        headers: {
          'content-type': 'application/json',
          'user-agent': 'GitHub-Hookshot/twin',
          'x-github-event': delivery.event,
          'x-github-delivery': delivery.id,
          'x-hub-signature-256': `sha256=${digest}`,
        },
        body: delivery.body,
      });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return null;
    }
  };
  const announce = async ({ event, repo, build }: Announcement, by: string | null): Promise<void> => {
    if (stopping.signal.aborted) return;
    const view = { world, api: world.url, repo };
    const sender = by === null ? undefined : findUser(world, by);
    const body = JSON.stringify({
      ...(await build(view)),
      repository: viewRepo(view),
      ...(sender && { sender: viewUser(view, sender) }),
    });
    const delivery = { id: randomUUID(), event, body };
    deliveries.push({ ...delivery, status: await send(delivery) });
  };
  return {
    hear(entry) {
      const by = 'by' in entry ? entry.by : null;
      const announcements = [describe(entry) ?? [], describeDependency(world, entry)].flat();
      for (const announcement of announcements)
        last = last.then(() => announce(announcement, by)).catch(() => {});
    },
    list: () => deliveries,
    async redeliver(id) {
      const delivery = deliveries.find((one) => one.id === id);
      if (delivery === undefined) throw new Error(`The twin has no delivery ${id}.`);
      await send(delivery);
    },
    stop() {
      stopping.abort();
      return last;
    },
  };
}
