export const REPO = 'acme/app';

/** For a twin with one repository, which `ada` and `robot` push to. */
export const REMOTE = {
  users: [{ login: 'acme' }, { login: 'ada' }, { login: 'robot' }],
  repos: [
    {
      name: REPO,
      permissions: { robot: 'write' as const, ada: 'write' as const },
      files: { 'README.md': '# app\n', 'src/a.txt': 'one\n' },
    },
  ],
};
