import type { History } from '../history/history.js';
import { Level } from '../store/rows.js';

export type UsedPermission = { permission: string; level: Level; routes: string[] };

/** Lists the permissions that Apps used, each at its highest level, with the routes that used it. */
export function listUsedPermissions(history: History): UsedPermission[] {
  const uses = history
    .list('request')
    .filter(({ status }) => status > 0 && status < 400)
    .flatMap(({ permissions, route, method, path }) =>
      permissions.map((need) => ({ need, route: route ?? `${method} ${path}` })),
    );
  const names = [...new Set(uses.map(({ need }) => need.split('=')[0] ?? ''))].sort();
  return names.map((permission) => {
    const own = uses.filter(({ need }) => need.startsWith(`${permission}=`));
    const isUsed = (level: Level) => own.some(({ need }) => need === `${permission}=${level}`);
    const level = [...Level.options].reverse().find(isUsed) ?? 'read';
    const routes = new Set(own.map(({ route }) => route));
    return { permission, level, routes: [...routes].sort() };
  });
}
