import { spawnSync } from 'node:child_process';

/** Set inside: the test asserts that it is true. */
export const ENCLOSED = 'MERGEXO_LOOPBACK_ONLY';

/** The command in a network that has only a loopback device, where bubblewrap can make one. */
export function enclose(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
): { command: readonly string[]; env: NodeJS.ProcessEnv } {
  // Everything but the network stays as it is; root keeps its rights, because the agents make sandboxes of their own.
  const rights = process.getuid?.() === 0 ? ['--cap-add', 'ALL'] : [];
  const bubblewrap = ['bwrap', '--dev-bind', '/', '/', '--unshare-net', '--die-with-parent', ...rights, '--'];
  const [program = '', ...args] = [...bubblewrap, 'true'];
  const works = process.platform === 'linux' && spawnSync(program, args, { stdio: 'ignore' }).status === 0;
  if (works) return { command: [...bubblewrap, ...command], env: { ...env, [ENCLOSED]: '1' } };
  if (env['CI'] === 'true' && process.platform === 'linux') {
    throw new Error('bubblewrap cannot make a network of its own here, and CI must not go without');
  }
  process.stderr.write('no network namespace here: only proxy variables keep the agents on loopback\n');
  return { command, env };
}
