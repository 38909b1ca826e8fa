/**
 * Runs inside a sandbox that has no network. Listens on loopback, passes each connection to the proxy's Unix
 * socket, and starts the program with variables that name this proxy. The sandbox exposes only this file, so
 * the file imports only Node's modules.
 *
 * join-proxy.mjs <socket> <hosts without proxy> <program> [argument...]
 */
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { constants } from 'node:os';

const [socketPath, noProxy, program, ...args] = process.argv.slice(2);

const server = createServer({ allowHalfOpen: true }, (client) => {
  const proxy = connect({ path: socketPath, allowHalfOpen: true });
  for (const [one, other] of [
    [client, proxy],
    [proxy, client],
  ]) {
    one.pipe(other);
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroySoon());
  }
});

server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  const variables = { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: noProxy };
  const lowerCase = Object.entries(variables).map(([name, value]) => [name.toLowerCase(), value]);
  const proxies = { ...variables, ...Object.fromEntries(lowerCase), NODE_USE_ENV_PROXY: '1' };
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...proxies } });
  child.on('error', (error) => {
    process.stderr.write(`cannot start ${program}: ${error.message}\n`);
    process.exit(127);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
});

// The program gets these signals too. This process keeps its connections open until the program has ended.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});
