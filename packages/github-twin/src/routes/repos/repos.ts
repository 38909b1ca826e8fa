import { ok } from '../../rest/call.js';
import { repoRoute } from '../../rest/repo-route.js';
import { viewFullRepo } from '../../views/repo.js';

export const repoRoutes = [
  repoRoute('GET', '', 'read', (call) => ok(viewFullRepo(call, call.repo, call.user))),
];
