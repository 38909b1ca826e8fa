import { listVersions } from '../http/api-version.js';
import { ok, type Route } from '../rest/call.js';

/** Routes about the server itself. */
export const metaRoutes: Route[] = [
  { method: 'GET', template: '/', handle: (call) => ok({ current_user_url: `${call.api}/user` }) },
  {
    method: 'GET',
    template: '/versions',
    handle: ({ world }) => ok(listVersions(world).map(({ name }) => name)),
  },
  {
    method: 'GET',
    template: '/meta',
    handle: ({ world: { enterpriseVersion } }) =>
      ok({
        verifiable_password_authentication: enterpriseVersion !== undefined,
        ...(enterpriseVersion !== undefined && { installed_version: enterpriseVersion }),
      }),
  },
];
