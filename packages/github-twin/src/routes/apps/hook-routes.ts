import { z } from 'zod';
import { notFound } from '../../basics/api-error.js';
import { numberParam, ok, type Route, readBody } from '../../rest/call.js';
import { listRows } from '../../rest/lists.js';
import type { Delivery } from '../../world/world.js';
import { type AppCall, appRoute } from './app-route.js';

/** Every App has one hook. GitHub never shows its secret. */
export const hookRoutes: Route[] = [
  appRoute('GET /app/hook/config', (call) => ok(viewHook(call))),
  appRoute('PATCH /app/hook/config', (call) => {
    const body = readBody(call, {
      url: z.string().optional(),
      secret: z.string().optional(),
      content_type: z.literal('json').optional(),
      insecure_ssl: z.union([z.string(), z.number()]).optional(),
    });
    const hook = hookOf(call) ?? { id: call.world.store.nextId(), appId: call.app.id, url: '', secret: '' };
    const { url = hook.url, secret = hook.secret } = body;
    call.world.store.appHooks.put({ ...hook, url, secret });
    return ok(viewHook(call));
  }),
  appRoute('GET /app/hook/deliveries', (call) => listRows(call, listOwn(call).reverse(), viewDelivery)),
  appRoute('GET /app/hook/deliveries/{delivery_id}', (call) => {
    const { headers, body, response, ...delivery } = deliveryOf(call);
    return ok({
      ...viewDelivery(delivery),
      url: hookOf(call)?.url ?? '',
      request: { headers, payload: JSON.parse(body) },
      response: { headers: response?.headers ?? null, payload: response?.body ?? null },
    });
  }),
  appRoute('POST /app/hook/deliveries/{delivery_id}/attempts', (call) => {
    // As on GitHub, the answer does not wait for the delivery.
    deliveryOf(call)
      .sendAgain()
      .catch(() => {});
    return { status: 202, body: {} };
  }),
];

const listOwn = ({ world, app }: AppCall): Delivery[] =>
  world.deliveries.filter(({ appId }) => appId === app.id);

function deliveryOf(call: AppCall): Delivery {
  const number = numberParam(call, 'delivery_id');
  const found = listOwn(call).find((one) => one.number === number);
  if (!found) throw notFound();
  return found;
}

function viewDelivery(one: Omit<Delivery, 'headers' | 'body' | 'response'>) {
  const { status } = one;
  return {
    id: one.number,
    guid: one.id,
    delivered_at: one.deliveredAt,
    redelivery: one.isRedelivery,
    duration: 0,
    status: status === null ? 'failed to connect to host' : status < 300 ? 'OK' : 'Invalid HTTP Response',
    status_code: status ?? 0,
    event: one.event,
    action: one.action,
    installation_id: one.installationId,
    repository_id: one.repositoryId,
  };
}

const hookOf = ({ world, app }: AppCall) => world.store.appHooks.find((row) => row.appId === app.id);

function viewHook(call: AppCall) {
  const { url = '', secret = '' } = hookOf(call) ?? {};
  return { content_type: 'json', insecure_ssl: '0', url, ...(secret && { secret: '********' }) };
}
