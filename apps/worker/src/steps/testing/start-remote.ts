import { startTwin, type Twin } from '@mergexo/github-twin';

export const REPO = 'acme/app';

/** A remote with one repository, which `ada` and `robot` push to. */
export function startRemote(): Promise<Twin> {
  return startTwin({
    seed: {
      users: [{ login: 'acme' }, { login: 'ada' }, { login: 'robot' }],
      repos: [
        {
          name: REPO,
          permissions: { robot: 'write', ada: 'write' },
          files: { 'README.md': '# app\n', 'src/a.txt': 'one\n' },
        },
      ],
    },
  });
}
