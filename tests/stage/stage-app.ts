import { type AppLogin, createAppLogin } from '@mergexo/github';
import type { Twin } from '@mergexo/github-twin';

/** The login of the App's bot. */
export const APP_BOT = 'mergexo[bot]';

const SLUG = 'mergexo';

/** The App on the account of the stage's repository. */
export const seedApp = () => ({
  slug: SLUG,
  owner: 'alice',
  permissions: {
    issues: 'write' as const,
    pull_requests: 'write' as const,
    contents: 'write' as const,
    statuses: 'write' as const,
    checks: 'write' as const,
    actions: 'write' as const,
  },
  installations: [{ account: 'alice' }],
});

/** Logs in as the App, on the clock of the stage. */
export function logInAsApp(twin: Twin, now: () => number): AppLogin {
  const app = twin.app(SLUG);
  return createAppLogin({
    apiUrl: twin.apiUrl,
    clientId: app.clientId,
    readKeys: () => app.keys().map(({ pem }) => pem),
    userAgent: 'test',
    now,
    monotonicNow: now,
    onToken: () => {},
  });
}
