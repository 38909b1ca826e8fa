import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files other than manifests that name the version. `#` stands for it. */
const MENTIONS = [
  { path: 'apps/cli/src/main.ts', text: "const VERSION = '#';" },
  { path: 'README.md', text: './mergexo-#.tgz' },
  { path: 'docker-compose.yml', text: ':-ghcr.io/mergexo/mergexo:#}' },
  { path: 'docs/operations.md', text: 'ghcr.io/mergexo/mergexo:# init' },
  { path: 'packaging/kubernetes/kustomization.yaml', text: 'newTag: #' },
  { path: 'tests/walks/readme.test.ts', text: './mergexo-#.tgz' },
];

/** Sets the version of all workspaces, of the lock file and of every text that names it. Returns the changed files. */
export function setVersion(root: string, from: string, to: string): string[] {
  const manifests = ['.', ...listWorkspaces(root)].map((folder) => join(folder, 'package.json'));
  for (const path of manifests) replaceIn(join(root, path), `"version": "${from}"`, `"version": "${to}"`);
  for (const path of manifests)
    edit(join(root, path), (text) =>
      text.replace(/("@mergexo\/[a-z-]+": )"([^"]+)"/g, (whole, name, range) =>
        range === from ? `${name}"${to}"` : whole,
      ),
    );
  edit(join(root, 'package-lock.json'), (text) => setLockVersion(text, from, to));
  for (const { path, text } of MENTIONS)
    replaceIn(join(root, path), text.replace('#', from), text.replace('#', to), 'all');
  return [...manifests, 'package-lock.json', ...MENTIONS.map(({ path }) => path)];
}

/** Changes the entries of the workspaces only, because other packages can have the same version. */
function setLockVersion(text: string, from: string, to: string): string {
  const lock = JSON.parse(text);
  lock.version = to;
  for (const [folder, entry] of Object.entries<Record<string, unknown>>(lock.packages)) {
    if (folder.startsWith('node_modules') || entry['version'] !== from) continue;
    entry['version'] = to;
    for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies']) {
      const list = Object(entry[kind] ?? {});
      for (const name of Object.keys(list))
        if (name.startsWith('@mergexo/') && list[name] === from) list[name] = to;
    }
  }
  return `${JSON.stringify(lock, null, 2)}\n`;
}

function listWorkspaces(root: string): string[] {
  return ['packages', 'apps'].flatMap((group) =>
    readdirSync(join(root, group), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(group, name)),
  );
}

function replaceIn(path: string, from: string, to: string, count: 'first' | 'all' = 'first'): void {
  edit(path, (text) => {
    if (!text.includes(from)) throw new Error(`${path} does not contain ${JSON.stringify(from)}.`);
    return count === 'all' ? text.replaceAll(from, to) : text.replace(from, to);
  });
}

function edit(path: string, change: (text: string) => string): void {
  const text = readFileSync(path, 'utf8');
  const changed = change(text);
  if (changed !== text) writeFileSync(path, changed);
}
