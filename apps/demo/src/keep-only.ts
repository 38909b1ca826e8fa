/** Programs are found, temporary files made and texts shown by these. */
const KEPT = [
  'PATH',
  'HOME',
  'USER',
  'TMPDIR',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TERM',
  'SHELL',
  'NODE_OPTIONS',
];

/** Removes every other variable, so that MERGEXO_*, GITHUB_TOKEN, GH_*, GIT_* and proxies change nothing. */
export function keepOnly(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) if (!KEPT.includes(name)) delete env[name];
}
