import { IGNORE, LABELS, POSTER, REPO } from './constants.js';

const LOGINS = ['alice', 'bob', 'mallory', POSTER, 'ci[bot]'];

/** Fixed, so that a seed gives the same requests each time. */
export const TOKENS: Readonly<Record<string, string>> & { [POSTER]: string } = {
  [POSTER]: `ghp_${'r'.repeat(36)}`,
};

export const SEED = {
  users: LOGINS.map((login) => ({
    login,
    token: TOKENS[login] ?? `ghp_${login.replace(/\W/g, '').padEnd(36, 'x')}`,
  })),
  repos: [
    {
      name: REPO,
      permissions: {
        [POSTER]: 'write' as const,
        bob: 'write' as const,
        mallory: 'read' as const,
        'ci[bot]': 'write' as const,
      },
      files: { 'README.md': 'hi\n' },
      labels: [...Object.values(LABELS), IGNORE],
    },
  ],
};
