import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Twin } from '@mergexo/github-twin';
import { ROOT } from './fleet.js';

const HEADER = '| Repository permission | Access | MergeXO needs it to |';

/** Names of the permissions on GitHub's website, and what MergeXO does with them. */
const USES: Record<string, [name: string, use: string]> = {
  actions: ['Actions', 'read failed runs and their logs, and rerun failed jobs'],
  checks: ['Checks', 'read check runs, and publish the AI review as a check run'],
  contents: ['Contents', 'fetch, push branches, and resolve review threads'],
  issues: ['Issues', 'read issues and comments, and post comments, labels and reactions'],
  metadata: ['Metadata', 'find the repository; GitHub always includes it'],
  pull_requests: ['Pull requests', 'open pull requests, and read and reply to reviews'],
  statuses: ['Commit statuses', 'read the statuses of other CI services'],
};

const ACCESS: Record<string, string> = { read: 'Read-only', write: 'Read and write', admin: 'Admin' };

/** Renders the permissions that a run used, as the docs show them. */
export function renderPermissions(used: ReturnType<Twin['permissionsUsed']>): string {
  const rows = used.map(({ permission, level }) => {
    const [name, use] = USES[permission] ?? [permission, '(unknown)'];
    return `| ${name} | ${ACCESS[level]} | ${use} |`;
  });
  return [HEADER, '| --- | --- | --- |', ...rows].join('\n');
}

/** Reads the table of permissions in the docs. */
export function readPermissions(): string {
  const text = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const lines = text.slice(text.indexOf(HEADER.slice(0, 24))).split('\n');
  return lines
    .slice(
      0,
      lines.findIndex((line) => !line.trim().startsWith('|')),
    )
    .join('\n');
}
