/**
 * Runs a program in a network namespace of its own. Connections to the given ports of its loopback device go through
 * Unix sockets, which are files, to the test. Usage: forward-ports <ports and sockets as JSON> <script> <arguments…>
 */
import { execFileSync, spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';

const [links = '[]', ...program] = process.argv.slice(2);
execFileSync('ip', ['link', 'set', 'lo', 'up']);
for (const { port, socket } of JSON.parse(links)) {
  const server = createServer((incoming) => {
    const outgoing = connect(String(socket));
    incoming.on('error', () => outgoing.destroy()).pipe(outgoing);
    outgoing.on('error', () => incoming.destroy()).pipe(incoming);
  });
  await new Promise<void>((resolve) => void server.listen(Number(port), '127.0.0.1', resolve));
}
const child = spawn(process.execPath, ['--no-warnings', ...program], { stdio: 'inherit' });
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.once('exit', (code) => process.exit(code ?? 1));
