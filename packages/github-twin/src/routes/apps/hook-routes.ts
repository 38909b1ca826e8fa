import { z } from 'zod';
import { ok, type Route, readBody } from '../../rest/call.js';
import { listRows } from '../../rest/lists.js';
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
  appRoute('GET /app/hook/deliveries', (call) =>
    listRows(call, call.world.deliveries.filter(({ appId }) => appId === call.app.id).reverse(), (one) => ({
      id: one.number,
      guid: one.id,
      delivered_at: one.deliveredAt,
      redelivery: false,
      duration: 0,
      status:
        one.status === null ? 'failed to connect to host' : one.status < 300 ? 'OK' : 'Invalid HTTP Response',
      status_code: one.status ?? 0,
      event: one.event,
      action: one.action,
      installation_id: one.installationId,
      repository_id: one.repositoryId,
    })),
  ),
];

const hookOf = ({ world, app }: AppCall) => world.store.appHooks.find((row) => row.appId === app.id);

function viewHook(call: AppCall) {
  const { url = '', secret = '' } = hookOf(call) ?? {};
  return { content_type: 'json', insecure_ssl: '0', url, ...(secret && { secret: '********' }) };
}
