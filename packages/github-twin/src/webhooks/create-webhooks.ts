import { createHmac, randomUUID } from 'node:crypto';
import { findUser } from '../domain/users.js';
import type { HistoryEntry } from '../history/history.js';
import { viewRepo } from '../views/repo.js';
import { viewUser } from '../views/user.js';
import { type Delivery, type HookResponse, stampOf, type World } from '../world/world.js';
import type { Announcement } from './announcement.js';
import { createDescriber } from './describe-change.js';
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
  const stopping = new AbortController();
  let last = Promise.resolve();
  const attempt = async (prepared: Prepared, isRedelivery: boolean): Promise<void> => {
    const { target, ...delivery } = prepared;
    const response = await send(target.url, prepared, stopping.signal);
    const sendAgain = () => attempt(prepared, true);
    const facts = { number: deliveries.length + 1, deliveredAt: stampOf(world), isRedelivery, sendAgain };
    deliveries.push({ ...delivery, ...facts, status: response?.status ?? null, response });
  };
  const deliver = ({ event, payload, target, repositoryId }: Outgoing): Promise<void> => {
    const [id, body] = [randomUUID(), JSON.stringify(payload)];
    const { appId, installationId } = target;
    const action = typeof payload['action'] === 'string' ? payload['action'] : null;
    const facts = { event, action, appId, installationId, repositoryId };
    return attempt({ id, body, headers: sign(target, { id, event, body }), target, ...facts }, false);
  };
  const announce = async (
    { event, repo, build }: Announcement,
    { targets, by }: { targets: Target[]; by: string | null },
  ): Promise<void> => {
    if (stopping.signal.aborted) return;
    const view = { world, api: world.url, repo };
    const sender = by === null ? undefined : findUser(world, by);
    const common = {
      repository: viewRepo(view),
      ...(sender && { sender: viewUser(view, sender) }),
      ...(await build(view)),
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
      for (const announcement of describe(entry)) {
        const { event, repo } = announcement;
        // Chooses the recipients when the change happens, not when the delivery is sent.
        const targets = [...ownTarget(own), ...listAppTargets(world, event, repo)];
        if (targets.length > 0) enqueue(() => announce(announcement, { targets, by }));
      }
      for (const { event, targets, payload } of describeInstallation(entry))
        for (const target of targets)
          enqueue(() => deliver({ event, payload: { ...payload }, target, repositoryId: null }));
    },
    list: () => [...deliveries],
    async redeliver(id) {
      const delivery = deliveries.find((one) => one.id === id);
      if (delivery === undefined) throw new Error(`The twin has no delivery ${id}.`);
      await delivery.sendAgain();
    },
    stop() {
      stopping.abort();
      return last;
    },
  };
}

const ownTarget = (own: WebhookOptions | undefined): Target[] =>
  own ? [{ ...own, appId: null, installationId: null, headers: {}, payload: {} }] : [];

type Prepared = { target: Target } & Omit<
  Delivery,
  'number' | 'deliveredAt' | 'isRedelivery' | 'sendAgain' | 'status' | 'response'
>;

function sign(
  { secret, headers }: Target,
  { id, event, body }: Pick<Delivery, 'id' | 'event' | 'body'>,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/twin',
    'x-github-event': event,
    'x-github-delivery': id,
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    ...headers,
  };
}

/** Returns the response, or null if the endpoint did not respond. */
async function send(
  url: string,
  { headers, body }: Pick<Delivery, 'headers' | 'body'>,
  stopping: AbortSignal,
): Promise<HookResponse | null> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const response = await fetch(url, { method: 'POST', redirect: 'manual', signal, headers, body });
    const text = await response.text();
    return { status: response.status, headers: Object.fromEntries(response.headers), body: text };
  } catch {
    return null;
  }
}
