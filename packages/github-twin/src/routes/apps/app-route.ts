import { notFound } from '../../basics/api-error.js';
import { type Answer, type Call, numberParam, type Route } from '../../rest/call.js';
import type { App, Installation } from '../../store/app-rows.js';

export type AppCall = Call & { app: App };

/** Creates a route that an App calls with a JSON web token. */
export function appRoute(route: string, handle: (call: AppCall) => Answer | Promise<Answer>): Route {
  const [method = '', template = ''] = route.split(' ');
  return {
    method,
    template,
    auth: 'app',
    handle: (call) => {
      if (!call.app) throw new Error(`${route} was called without an App`);
      return handle({ ...call, app: call.app });
    },
  };
}

export function installationOf(call: AppCall): Installation {
  const row = call.world.store.installations.get(numberParam(call, 'installation_id'));
  if (row?.appId !== call.app.id) throw notFound();
  return row;
}
