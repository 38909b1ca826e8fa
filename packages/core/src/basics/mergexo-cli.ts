/**
 * The command that a reader types in the clone, where npm links the program into node_modules. Hints on the command
 * line, in logs, on the dashboard and on GitHub all use this constant.
 */
export const MERGEXO_CLI = 'npx mergexo';
