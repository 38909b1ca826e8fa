import { z } from 'zod';
import type { Access } from '../../apps/installations.js';
import { mintToken } from '../../apps/mint-token.js';
import { forbidden } from '../../basics/api-error.js';
import { toStamp } from '../../basics/clock.js';
import { type Call, created, noContent, ok, type Route, readBody } from '../../rest/call.js';
import { pageLinks, pageOf, slicePage } from '../../rest/lists.js';
import { Grants } from '../../store/rows.js';
import { viewRepo } from '../../views/repo.js';
import { appRoute, installationOf } from './app-route.js';

/** Creates a route that needs an installation token. */
function accessRoute(
  route: string,
  handle: (call: Call & { access: Access }) => ReturnType<Route['handle']>,
) {
  const [method = '', template = ''] = route.split(' ');
  return {
    method,
    template,
    handle: (call: Call) => {
      if (!call.access)
        throw forbidden(
          'You must authenticate with an installation access token in order to use this route.',
        );
      return handle({ ...call, access: call.access });
    },
  };
}

export const tokenRoutes: Route[] = [
  appRoute('POST /app/installations/{installation_id}/access_tokens', (call) => {
    const installation = installationOf(call);
    const wanted = readBody(call, {
      repositories: z.array(z.string()).optional(),
      repository_ids: z.array(z.number()).optional(),
      permissions: Grants.optional(),
    });
    const { token, permissions, repos } = mintToken(call.world, installation, wanted);
    const all = repos === null && installation.repoIds === null;
    return created({
      token: token.secret,
      expires_at: toStamp(token.expiresAtMs ?? 0),
      permissions,
      repository_selection: all ? 'all' : 'selected',
      ...(repos && { repositories: repos.map((repo) => viewRepo({ ...call, repo })) }),
    });
  }),
  accessRoute('DELETE /installation/token', ({ world, token }) => {
    if (token) world.store.tokens.remove(token.id);
    return noContent();
  }),
  accessRoute('GET /installation/repositories', (call) => {
    const { access, world } = call;
    const repos = world.store.repos.filter(({ id }) => access.repoIds.includes(id));
    const page = pageOf(call.query);
    const body = {
      total_count: repos.length,
      repository_selection: world.store.installations.get(access.installationId)?.repoIds
        ? 'selected'
        : 'all',
      repositories: slicePage(repos, page).map((repo) => viewRepo({ ...call, repo })),
    };
    return ok(body, pageLinks(call, page, repos.length));
  }),
];
