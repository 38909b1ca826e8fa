import type { Lens } from '../http/call.js';
import { nodeId } from '../views/user.js';

export function toUser({ world }: Lens, id: number | null) {
  const user = id === null ? undefined : world.store.users.get(id);
  if (!user) return null;
  return {
    __typename: 'User',
    id: nodeId('U', user.id),
    login: user.login,
    databaseId: user.id,
    url: `${world.url}/${encodeURIComponent(user.login)}`,
    name: user.name,
  };
}

/** GraphQL names a bot without the `[bot]` that REST adds, and gives it a type of its own. */
export function toActor(lens: Lens, id: number | null) {
  const user = toUser(lens, id);
  if (!user?.login.endsWith('[bot]')) return user;
  return { ...user, __typename: 'Bot', login: user.login.replace(/\[bot\]$/, '') };
}
