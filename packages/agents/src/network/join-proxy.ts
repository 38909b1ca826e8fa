import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROXY_MOUNT } from '../sandbox/bubblewrap.js';
import type { HostRule } from './host-rule.js';
import { SOCKET_NAME } from './serve-proxy.js';

const SCRIPT = fileURLToPath(new URL('../../bin/join-proxy.mjs', import.meta.url));
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

/** Builds the command that runs a program behind the proxy, inside the sandbox. */
export function buildProxyCommand(
  rules: readonly HostRule[],
  argv: readonly [string, ...string[]],
): [string, ...string[]] {
  // Servers that the program starts in its sandbox need no proxy, unless a rule names a server on this machine.
  const isLocal = rules.some(({ host }) => LOOPBACK.includes(host));
  const direct = isLocal ? '' : LOOPBACK.join(',');
  return [process.execPath, SCRIPT, join(PROXY_MOUNT, SOCKET_NAME), direct, ...argv];
}
