import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { build, type Plugin } from 'esbuild';

/** The name under which bundled code imports `lib/locate.js` from the same package. */
const LOCATE = 'mergexo/locate';

/** Content of `lib/locate.js`, which returns the URL of a file in the installed package. */
export const LOCATE_SOURCE = `const ROOT = new URL('../', import.meta.url);
export const locate = (path) => new URL(path, ROOT).href;
`;

/** Bundled CommonJS modules call `require` for Node's built-in modules. */
const BANNER = `import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);`;

/**
 * Bundles the programs with all packages except the external ones. Each program keeps its path. Shared code
 * is written to `lib`.
 */
export async function bundle({
  root,
  programs,
  outDir,
  external,
}: {
  root: string;
  programs: readonly string[];
  outDir: string;
  external: readonly string[];
}): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: [...programs],
    outbase: root,
    outdir: outDir,
    chunkNames: 'lib/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    banner: { js: BANNER },
    external: [LOCATE, ...external],
    plugins: [keepAddresses(root), leaveOut()],
    logLevel: 'warning',
  });
}

/** Replaces `import.meta.url`, so that modules find programs and assets relative to their path in the checkout. */
function keepAddresses(root: string): Plugin {
  return {
    name: 'keep addresses',
    setup({ onLoad }) {
      onLoad({ filter: /[/\\](?:apps|packages)[/\\][^/\\]+[/\\]dist[/\\].*\.js$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        if (!source.includes('import.meta.url')) return { contents: source };
        const name = JSON.stringify(relative(root, path).replaceAll('\\', '/'));
        const contents = source.replaceAll('import.meta.url', `locateModule(${name})`);
        return { contents: `import { locate as locateModule } from '${LOCATE}';\n${contents}` };
      });
    },
  };
}

/** zod's error messages in one language: the others are a fifth of what a command loads. */
const ONLY_ENGLISH = "export { default as en } from './en.js';";

/** Leaves out what other packages import without need. */
function leaveOut(): Plugin {
  return {
    name: 'leave out',
    setup({ onLoad, onResolve }) {
      onLoad({ filter: /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/ }, () => ({ contents: ONLY_ENGLISH }));
      // drizzle-orm creates no connection itself, and better-sqlite3 may be missing. `packages/state` loads it at run time.
      onResolve({ filter: /^better-sqlite3$/ }, () => ({ path: 'better-sqlite3', namespace: 'left out' }));
      onLoad({ filter: /./, namespace: 'left out' }, () => ({ contents: 'export default undefined;' }));
    },
  };
}
