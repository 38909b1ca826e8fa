import type { User } from '../store/rows.js';
import type { ViewContext } from '../world/world.js';

export function nodeId(prefix: string, id: number | string): string {
  return `${prefix}_${Buffer.from(`twin:${id}`).toString('base64url')}`;
}

export function readNodeId(prefix: string, text: string): number | undefined {
  if (!text.startsWith(`${prefix}_`)) return undefined;
  const match = /^twin:(\d+)$/.exec(Buffer.from(text.slice(prefix.length + 1), 'base64url').toString());
  return match ? Number(match[1]) : undefined;
}

export function viewUser({ world, api }: ViewContext, user: User) {
  const name = encodeURIComponent(user.login);
  const url = `${api}/users/${name}`;
  const page = user.type === 'Bot' ? `apps/${encodeURIComponent(user.login.replace(/\[bot\]$/, ''))}` : name;
  return {
    login: user.login,
    id: user.id,
    node_id: nodeId('U', user.id),
    avatar_url: `${world.url}/avatars/u/${user.id}`,
    gravatar_id: '',
    url,
    html_url: `${world.url}/${page}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: user.type,
    user_view_type: 'public',
    site_admin: false,
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
    public_repos: context.world.store.repos.filter((repo) => repo.owner === user.login && !repo.private)
      .length,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: user.createdAt,
    updated_at: user.createdAt,
  };
}
