/**
 * Arguments of Node for programs that run for months and compute little. By default, Node keeps up to 32 MiB for new
 * objects, and most of that memory stays unused between two turns.
 */
export const NODE_ARGS = ['--max-semi-space-size=2'] as const;
