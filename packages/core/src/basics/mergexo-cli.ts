/**
 * The command to type in a clone of MergeXO, where npm links the program into node_modules. All hints on the
 * command line, in logs, on the dashboard and on GitHub use this constant.
 */
export const MERGEXO_CLI = 'npx mergexo';
