import { ok } from '../http/call.js';
import { viewFullRepo } from '../views/repo.js';
import { repoRoute } from './repo-route.js';

export const repoRoutes = [
  repoRoute('GET', '', 'read', (call) => ok(viewFullRepo(call, call.repo, call.user))),
];
