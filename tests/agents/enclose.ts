import { spawnSync } from 'node:child_process';

/** Environment variable that is set inside the enclosure. A test asserts that it is present. */
export const ENCLOSED = 'MERGEXO_LOOPBACK_ONLY';

/** Wraps the command in a network namespace that has only a loopback device, if bubblewrap can create one. */
export function enclose(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
): { command: readonly string[]; env: NodeJS.ProcessEnv } {
  // Isolates only the network. Root keeps its capabilities, because the agents create their own sandboxes.
  const rights = process.getuid?.() === 0 ? ['--cap-add', 'ALL'] : [];
  const bubblewrap = ['bwrap', '--dev-bind', '/', '/', '--unshare-net', '--die-with-parent', ...rights, '--'];
  const [program = '', ...args] = [...bubblewrap, 'true'];
  const works = process.platform === 'linux' && spawnSync(program, args, { stdio: 'ignore' }).status === 0;
  if (works) return { command: [...bubblewrap, ...command], env: { ...env, [ENCLOSED]: '1' } };
  if (env['CI'] === 'true' && process.platform === 'linux') {
    throw new Error('bubblewrap cannot create a network namespace on this machine, and CI requires one');
  }
  process.stderr.write(
    'No network namespace on this machine: only proxy variables keep the agents on loopback.\n',
  );
  return { command, env };
}
