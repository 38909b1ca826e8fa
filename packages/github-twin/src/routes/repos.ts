import { notFound } from '../api-error.js';
import { hasPermission, permissionOf } from '../domain/permissions.js';
import { findUser } from '../domain/users.js';
import { noContent, ok, param } from '../http/call.js';
import { viewFullRepo, viewPermissions } from '../views/repo.js';
import { viewUser } from '../views/user.js';
import { type RepoCall, repoRoute } from './repo-route.js';

export const repoRoutes = [
  repoRoute('GET', '', 'read', (call) => ok(viewFullRepo(call, call.repo, call.user))),
  repoRoute('GET', '/collaborators/{username}', 'write', (call) => {
    const user = findUser(call.world, param(call, 'username'));
    if (!user || (user.login !== call.repo.owner && !call.repo.permissions[user.login])) throw notFound();
    return noContent();
  }),
  repoRoute('GET', '/collaborators/{username}/permission', 'write', (call) => ok(viewPermission(call))),
];

/** The old four words: triage counts as read, maintain as write; `role_name` has the exact one. */
function viewPermission(call: RepoCall) {
  const user = findUser(call.world, param(call, 'username'));
  if (!user) throw notFound();
  const role = permissionOf(call.repo, user);
  const permission = ['admin', 'write', 'read'].includes(role ?? '')
    ? role
    : role === 'maintain'
      ? 'write'
      : 'read';
  return {
    permission: role === null ? 'none' : permission,
    role_name: role ?? 'none',
    user: {
      ...viewUser(call, user),
      permissions: viewPermissions(call.repo, user),
      role_name: hasPermission(call.repo, user, 'read') ? role : 'none',
    },
  };
}
