import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Licenses that require only a notice from an MIT project. */
export const ALLOWED_LICENCES = [
  'MIT',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'PSF-2.0',
];

const Names = z.record(z.string(), z.string()).default({});
const Entry = z.object({
  version: z.string().optional(),
  license: z.string().optional(),
  resolved: z.string().optional(),
  link: z.boolean().default(false),
  dependencies: Names,
  optionalDependencies: Names,
});
const Lock = z.object({ packages: z.record(z.string(), Entry) });
type Packages = z.output<typeof Lock>['packages'];

export type Licence = { name: string; version: string; licence: string };

/** Lists the packages that the apps and packages need at run time, including indirect dependencies. */
export function listLicences(lockPath: URL): Licence[] {
  const { packages } = Lock.parse(JSON.parse(readFileSync(lockPath, 'utf8')));
  const seen = new Set<string>();
  const visit = (path: string): void => {
    const entry = packages[path];
    if (entry === undefined || seen.has(path)) return;
    seen.add(path);
    for (const name of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) {
      const found = resolve(packages, path, name);
      if (found !== undefined) visit(found);
    }
  };
  for (const path of Object.keys(packages)) if (/^(?:apps|packages)\/[^/]+$/.test(path)) visit(path);
  const rows = [...seen].flatMap((path) => {
    const [, name] = /.*node_modules\/(.+)$/.exec(path) ?? [];
    const { version = '', license: licence = 'unknown' } = packages[path] ?? {};
    return name === undefined ? [] : [{ name, version, licence }];
  });
  const unique = new Map(rows.map((row) => [`${row.name}@${row.version}`, row]));
  return [...unique.keys()].sort().flatMap((key) => unique.get(key) ?? []);
}

/** Finds a package as Node does: in the folder itself, then in each folder above. */
function resolve(packages: Packages, from: string, name: string): string | undefined {
  const parts = from.split('/');
  for (let length = parts.length; length >= 0; length -= 1) {
    const path = [...parts.slice(0, length), 'node_modules', name].join('/');
    const entry = packages[path];
    if (entry !== undefined) return entry.link ? entry.resolved : path;
  }
  return undefined;
}

/** True if the license, or one of the licenses to choose from, is allowed. */
export function isAllowed(licence: string): boolean {
  return licence
    .replace(/^\(|\)$/g, '')
    .split(' OR ')
    .some((choice) => ALLOWED_LICENCES.includes(choice));
}

export function renderLicences(licences: readonly Licence[]): string {
  const rows = licences.map(
    ({ name, version, licence }) =>
      `| [${name}](https://www.npmjs.com/package/${name}/v/${version}) | ${version} | ${licence} |`,
  );
  return [
    '# Third-party licenses',
    '',
    'For operators who install or distribute MergeXO: the npm packages that MergeXO needs at run time. `npm run licences` generates',
    'this list from `package-lock.json`. Each package contains the text of its license.',
    '',
    '| Package | Version | License |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
