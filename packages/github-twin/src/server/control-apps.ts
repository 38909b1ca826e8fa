import { z } from 'zod';
import { ApiError } from '../basics/api-error.js';
import { type AppControl, createAppControl, registerApp } from '../control/app-control.js';
import { Grants } from '../store/rows.js';
import type { World } from '../world/world.js';

const NewApp = z.strictObject({
  slug: z.string(),
  owner: z.string(),
  name: z.string().optional(),
  permissions: Grants.exactOptional(),
  events: z.array(z.string()).exactOptional(),
});
const Account = z.strictObject({ account: z.string() });
const Selection = z.strictObject({ account: z.string(), repositories: z.array(z.string()).exactOptional() });

type Asked = { world: World; method: string; slug: string; verb: string };

/** Serves `/_twin/apps`, where other programs act as the owners of Apps and of the accounts that use them. */
export function controlApps({ world, method, slug, verb }: Asked, body: unknown): unknown {
  if (method === 'GET' && slug === '') return world.store.apps.all().map((app) => show(world, app.slug));
  if (method === 'POST' && slug === '') {
    const app = registerApp(world, NewApp.parse(body));
    app.addKey();
    return show(world, app.slug);
  }
  if (method === 'GET' && verb === '') return show(world, slug);
  const act = method === 'POST' ? ACTIONS[verb] : undefined;
  if (!act) throw new ApiError(404, `The control endpoint has no ${method} /_twin/apps/SLUG/${verb}.`);
  return act(createAppControl(world, slug), body);
}

const ACTIONS: Record<string, (app: AppControl, body: unknown) => unknown> = {
  'add-key': (app) => app.addKey(),
  'remove-key': (app, body) => app.removeKey(z.strictObject({ id: z.number() }).parse(body).id),
  install: (app, body) => {
    const { account, repositories } = Selection.parse(body);
    return { id: app.install(account, repositories) };
  },
  select: (app, body) => {
    const { account, repositories } = Selection.parse(body);
    return app.selectRepositories(account, repositories);
  },
  suspend: (app, body) => app.suspend(Account.parse(body).account),
  unsuspend: (app, body) => app.unsuspend(Account.parse(body).account),
  uninstall: (app, body) => app.uninstall(Account.parse(body).account),
  permissions: (app, body) => app.setPermissions(Grants.parse(body)),
  accept: (app, body) => app.acceptPermissions(Account.parse(body).account),
};

function show(world: World, slug: string) {
  const { id, clientId, botId, login, keys } = createAppControl(world, slug);
  return { slug, id, clientId, botId, login, keys: keys() };
}
