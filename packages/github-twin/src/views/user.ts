import type { User } from '../store/rows.js';
import type { ViewContext, World } from '../world/world.js';

export function nodeId(prefix: string, id: number | string): string {
  return `${prefix}_${Buffer.from(`twin:${id}`).toString('base64url')}`;
}

export function readNodeId(prefix: string, text: string): number | undefined {
  if (!text.startsWith(`${prefix}_`)) return undefined;
  const match = /^twin:(\d+)$/.exec(Buffer.from(text.slice(prefix.length + 1), 'base64url').toString());
  return match ? Number(match[1]) : undefined;
}

/** Renders the id of a row, and the named fields under GitHub's names: `createdAt` becomes `created_at`. */
export function viewFields<Row extends { id: number }>(
  prefix: string,
  row: Row,
  names: readonly (keyof Row & string)[],
) {
  const toGitHub = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const fields = Object.fromEntries(names.map((name) => [toGitHub(name), row[name]]));
  return { ...fields, id: row.id, node_id: nodeId(prefix, row.id) };
}

/** Renders the URLs that GitHub's API description requires. No client follows them, so only their format matters. */
export function viewAddresses({ world }: { world: World }, schema: string, url: string) {
  const required = world.validators.spec.components.schemas[schema]?.['required'];
  const names = Array.isArray(required) ? required.map(String).filter((name) => name.endsWith('_url')) : [];
  return Object.fromEntries(names.map((name) => [name, `${url}/${name.slice(0, -'_url'.length)}`]));
}

export function viewUser({ world, api }: ViewContext, user: User) {
  const name = encodeURIComponent(user.login);
  const url = `${api}/users/${name}`;
  const page = user.type === 'Bot' ? `apps/${encodeURIComponent(user.login.replace(/\[bot\]$/, ''))}` : name;
  return {
    ...viewAddresses({ world }, 'simple-user', url),
    ...viewFields('U', user, ['login', 'type']),
    avatar_url: `${world.url}/avatars/u/${user.id}`,
    gravatar_id: '',
    url,
    html_url: `${world.url}/${page}`,
    site_admin: false,
    user_view_type: 'public',
  };
}

export function viewUserOf(context: ViewContext, id: number | null) {
  const user = id === null ? undefined : context.world.store.users.get(id);
  return user ? viewUser(context, user) : null;
}

export function viewUsers(context: ViewContext, ids: number[]) {
  return ids.flatMap((id) => viewUserOf(context, id) ?? []);
}

export function viewAccount(context: ViewContext, user: User) {
  return {
    ...viewUser(context, user),
    name: user.name,
    company: null,
    blog: '',
    location: null,
    email: null,
    hireable: null,
    bio: null,
    twitter_username: null,
    public_repos: context.world.store.repos.filter((repo) => repo.owner === user.login && !repo.private)
      .length,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: user.createdAt,
    updated_at: user.createdAt,
  };
}
