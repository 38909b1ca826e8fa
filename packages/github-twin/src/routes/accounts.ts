import { forbidden, notFound } from '../basics/api-error.js';
import { findUser } from '../domain/users.js';
import { type Call, ok, param, type Route } from '../rest/call.js';
import { repoRoute } from '../rest/repo-route.js';
import { viewFullRepo } from '../views/repo.js';
import { viewAccount } from '../views/user.js';

export const accountRoutes: Route[] = [
  { method: 'GET', template: '/user', handle: readUser },
  { method: 'GET', template: '/users/{username}', handle: readUserByLogin },
  repoRoute('GET', (call) => ok(viewFullRepo(call))),
];

/** Throws for bots, because an App's token belongs to no user. */
function readUser(call: Call) {
  if (call.user.type === 'Bot') throw forbidden('Resource not accessible by integration');
  return ok({ ...viewAccount(call, call.user), notification_email: null });
}

function readUserByLogin(call: Call) {
  const user = findUser(call.world, param(call, 'username'));
  if (user === undefined) throw notFound();
  return ok(viewAccount(call, user));
}
