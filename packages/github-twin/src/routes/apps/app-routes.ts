import { findApp } from '../../apps/create-app.js';
import { findInstallation, listRepos } from '../../apps/installations.js';
import { notFound } from '../../basics/api-error.js';
import { findByName } from '../../domain/permissions.js';
import { findUser } from '../../domain/users.js';
import { ok, param, type Route } from '../../rest/call.js';
import { listRows } from '../../rest/lists.js';
import type { Installation } from '../../store/app-rows.js';
import { viewApp, viewInstallation } from '../../views/app.js';
import { type AppCall, appRoute, installationOf } from './app-route.js';

export const appRoutes: Route[] = [
  appRoute('GET /app', (call) =>
    ok({ ...viewApp(call, call.app), installations_count: listOwn(call).length }),
  ),
  {
    method: 'GET',
    template: '/apps/{app_slug}',
    handle: (call) => {
      const app = findApp(call.world, param(call, 'app_slug'));
      if (!app) throw notFound();
      return ok(viewApp(call, app));
    },
  },
  appRoute('GET /app/installations', (call) =>
    listRows(call, listOwn(call), (row) => viewInstallation(call, row)),
  ),
  appRoute('GET /app/installations/{installation_id}', (call) =>
    ok(viewInstallation(call, installationOf(call))),
  ),
  appRoute('GET /repos/{owner}/{repo}/installation', (call) => {
    const repo = findByName(call.world, `${param(call, 'owner')}/${param(call, 'repo')}`);
    const installation = repo && onAccount(call, repo.owner);
    const covers = installation && listRepos(call.world, installation).some(({ id }) => id === repo.id);
    if (!covers) throw notFound();
    return ok(viewInstallation(call, installation));
  }),
];

function listOwn({ world, app }: AppCall): Installation[] {
  return world.store.installations.filter((row) => row.appId === app.id);
}

function onAccount({ world, app }: AppCall, login: string): Installation | undefined {
  const account = findUser(world, login);
  return account && findInstallation(world, app, account.id);
}
