import { findAppOfBot } from '../apps/create-app.js';
import { permissionsOf } from '../apps/installations.js';
import type { App, Installation } from '../store/app-rows.js';
import type { ViewContext } from '../world/world.js';
import { viewFields, viewUserOf } from './user.js';

export function viewApp(context: ViewContext, app: App) {
  const page = `${context.world.url}/apps/${app.slug}`;
  return {
    ...viewFields('A', app, ['slug', 'clientId', 'name', 'permissions', 'events', 'createdAt', 'updatedAt']),
    owner: viewUserOf(context, app.ownerId),
    description: null,
    external_url: page,
    html_url: page,
  };
}

/** Renders the App that owns this bot user; null for people. */
export function viewAppOf(context: ViewContext, userId: number | null) {
  const app = userId === null ? undefined : findAppOfBot(context.world, userId);
  return app ? viewApp(context, app) : null;
}

export function viewInstallation(context: ViewContext, installation: Installation) {
  const { world, api } = context;
  const { accountId } = installation;
  const app = world.store.apps.get(installation.appId);
  const account = viewUserOf(context, accountId);
  const { login, type } = world.store.users.get(accountId) ?? {};
  const isOrg = type === 'Organization';
  const settings = isOrg ? `organizations/${login}/settings` : 'settings';
  return {
    ...viewFields('I', installation, ['createdAt', 'updatedAt', 'appId', 'suspendedAt']),
    account,
    repository_selection: installation.repoIds === null ? 'all' : 'selected',
    access_tokens_url: `${api}/app/installations/${installation.id}/access_tokens`,
    repositories_url: `${api}/installation/repositories`,
    html_url: `${world.url}/${settings}/installations/${installation.id}`,
    client_id: app?.clientId,
    app_slug: app?.slug,
    target_id: accountId,
    target_type: isOrg ? 'Organization' : 'User',
    permissions: permissionsOf(world, installation),
    events: app?.events ?? [],
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: installation.suspendedAt === null ? null : account,
  };
}
