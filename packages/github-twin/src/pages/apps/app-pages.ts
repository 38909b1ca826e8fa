import { findApp } from '../../apps/create-app.js';
import { findInstallation, install } from '../../apps/installations.js';
import { parseManifest, registerFromManifest } from '../../apps/manifests.js';
import { ApiError, notFound } from '../../basics/api-error.js';
import { findUser } from '../../domain/users.js';
import type { App } from '../../store/app-rows.js';
import type { User } from '../../store/rows.js';
import type { World } from '../../world/world.js';
import { renderForm } from '../parts/elements.js';
import { html } from '../parts/html.js';
import type { Page } from '../parts/layout.js';
import type { PageContext } from '../parts/page-context.js';

const NEW = /^(?:\/settings|\/organizations\/([\w.-]+)\/settings)\/apps\/new$/;
const INSTALL = /^\/apps\/([\w-]+)\/installations\/new$/;
const CREATE = '/_pages/apps';
const DO_INSTALL = '/_pages/installations';

/** A POST from any site, because a person confirms it on the page that it shows. */
export const isNewAppPath = (path: string): boolean => NEW.test(path);
export const isAppFormPath = (path: string): boolean => path === CREATE || path === DO_INSTALL;

/** Shows the App that a manifest describes, and asks the visitor to create it. */
export function showNewApp({ path, query }: PageContext, form: URLSearchParams): Page {
  const [, organisation = ''] = NEW.exec(path) ?? [];
  const text = form.get('manifest') ?? '';
  const { name, default_permissions: permissions, default_events: events } = parseManifest(text);
  const owner = organisation === '' ? 'you' : organisation;
  const rows = Object.entries(permissions).map(([key, level]) => html`<li>${key}: ${level}</li>`);
  const content = html`<p>Owner: <bdi>${owner}</bdi></p><ul>${rows}</ul><p>Events: ${events.join(', ')}</p>
<label for="name">Name</label><input id="name" name="name" value="${name}"><button>Create GitHub App</button>`;
  const fields = { manifest: text, state: query.get('state') ?? '', organisation };
  return {
    title: 'Create GitHub App',
    body: html`<h1>Create GitHub App</h1>${renderForm(CREATE, content, fields)}`,
  };
}

/** Creates the App and returns the address to which GitHub sends the browser. */
export function createFromForm({ world, visitor }: PageContext, form: URLSearchParams): string {
  const manifest = parseManifest(form.get('manifest') ?? '');
  const organisation = form.get('organisation') ?? '';
  const owner = organisation === '' ? visitor : findUser(world, organisation);
  if (!visitor) throw new ApiError(403, 'Choose who you are first.');
  if (!owner || (organisation !== '' && owner.type !== 'Organization')) throw notFound();
  const name = form.get('name') || manifest.name;
  const target = new URL(manifest.redirect_url);
  target.searchParams.set('code', registerFromManifest(world, { ...manifest, name }, owner));
  target.searchParams.set('state', form.get('state') ?? '');
  return target.href;
}

export function findInstallPage(context: PageContext): Page | undefined {
  const [, slug] = INSTALL.exec(context.path) ?? [];
  if (slug === undefined) return undefined;
  const app = appNamed(context.world, slug);
  const accounts = listAccounts(context.world, app).map(
    ({ login }) => html`<button name="account" value="${login}">Install on <bdi>${login}</bdi></button>`,
  );
  const body = html`<h1>Install ${app.name}</h1>${renderForm(DO_INSTALL, accounts, { slug })}`;
  return { title: `Install ${app.name}`, body };
}

/** Installs the App on all repositories of an account. Returns the path of the next page. */
export function installFromForm({ world, visitor }: PageContext, form: URLSearchParams): string {
  if (!visitor) throw new ApiError(403, 'Choose who you are first.');
  const app = appNamed(world, form.get('slug') ?? '');
  const account = listAccounts(world, app).find(({ login }) => login === form.get('account'));
  if (!account) throw notFound();
  install(world, app, { account, repoIds: null });
  return '/';
}

export const submitAppForm = (context: PageContext, form: URLSearchParams): string =>
  context.path === CREATE ? createFromForm(context, form) : installFromForm(context, form);

/** Lists the accounts with repositories that do not have the App yet. The twin does not know who owns which one. */
function listAccounts(world: World, app: App): User[] {
  const owners = new Set(world.store.repos.all().map(({ owner }) => owner));
  return world.store.users.filter(
    ({ id, login }) => owners.has(login) && findInstallation(world, app, id) === undefined,
  );
}

function appNamed(world: World, slug: string): App {
  const app = findApp(world, slug);
  if (!app) throw notFound();
  return app;
}
