/**
 * How a reader types a command of MergeXO: from the clone, where npm links the program into node_modules. Every hint is made
 * of this, on the command line, in logs, on the dashboard and on GitHub.
 */
export const MERGEXO_CLI = 'npx mergexo';
