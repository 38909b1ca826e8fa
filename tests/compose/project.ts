import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@mergexo/testkit';
import { z } from 'zod';
import { IMAGE } from './build-image.js';
import { createDocker, type Engine } from './engine/engine.js';
import { REPO, type ServedGitHub } from './github/serve-github.js';
import { runCommand } from './run-command.js';

const NAME = 'mergexo-test';
export const SUBNET = '172.30.77';
const AGENT = '/opt/agent/agent.mjs';
/** The limit in docker-compose.yml. */
const MAX_OPEN_FILES = 65_536;

const Container = z.object({ ID: z.string(), Service: z.string(), State: z.string(), Health: z.string() });
export type Container = { id: string; service: string; isHealthy: boolean };

const Work = z.object({
  turn: z.object({ state: z.string(), worker: z.string().nullable() }).nullable(),
  pr: z.number().nullable(),
});
const Status = z.object({ work: z.array(Work), workers: z.array(z.object({ id: z.string() })).nullable() });

export type Project = Awaited<ReturnType<typeof createProject>>;

/** The directory that `init --compose` wrote, and the commands of an operator. */
export async function createProject(options: {
  engine: Engine;
  github: ServedGitHub;
  dir: string;
  agentPath: string;
  workers: number;
}) {
  const { engine, dir } = options;
  const env = { ...engine.env, WORKERS: String(options.workers), COMPOSE_PROJECT_NAME: NAME };
  const docker = createDocker(env);
  const compose = (...args: string[]) => runCommand('docker', ['compose', ...args], { cwd: dir, env });
  await writeProject(options, docker);

  const listContainers = async (): Promise<Container[]> => {
    const lines = (await compose('ps', '--format', 'json')).split('\n').filter((line) => line !== '');
    return lines.map((line) => {
      const { ID, Service, State, Health } = Container.parse(JSON.parse(line));
      return { id: ID, service: Service, isHealthy: State === 'running' && Health === 'healthy' };
    });
  };
  const find = async (service: string): Promise<Container> => {
    const found = (await listContainers()).find((container) => container.service === service);
    if (found === undefined) throw new Error(`no ${service} is running`);
    return found;
  };
  /** `init` of Docker is the first process, so killing the program ends the container as a crash does. */
  const crash = async (container: Container): Promise<void> => {
    await docker(['exec', container.id, 'node', '-e', KILL, container.service]);
  };
  return {
    dir,
    compose,
    docker,
    find,
    crash,
    listContainers,
    async readStatus() {
      return Status.parse(JSON.parse(await compose('exec', '-T', 'poller', 'mergexo', 'status', '--json')));
    },
    async start(): Promise<void> {
      await compose('up', '--detach');
      await eventually(async () => {
        const sick = (await listContainers()).filter(({ isHealthy }) => !isHealthy);
        if (sick.length > 0) throw new Error(`not healthy: ${sick.map(({ service }) => service).join(', ')}`);
      }, 180_000);
    },
    /** Ends the connection to all other containers and to GitHub. The container returns with another address. */
    async cutOff({ id }: Container, work: () => Promise<void>): Promise<void> {
      await docker(['network', 'disconnect', NAME, id]);
      try {
        await work();
      } finally {
        addresses += 1;
        await docker(['network', 'connect', '--ip', `${SUBNET}.${addresses}`, NAME, id]);
      }
    },
    readLogs: () => compose('logs', '--no-color', '--tail', '150').catch((error: unknown) => String(error)),
    async remove(): Promise<void> {
      await compose('down', '--volumes', '--timeout', '5').catch(() => {});
    },
  };
}

let addresses = 200;

/** Kills the program of a container with SIGKILL. The needle is not in this script's own command line. */
const KILL = `const fs = require('fs');
const needle = ['apps', process.argv[1], 'dist/main.js'].join('/');
for (const pid of fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name))) {
  let text = '';
  try { text = fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8'); } catch {}
  if (text.includes(needle) && !text.includes('docker-init')) process.kill(Number(pid), 'SIGKILL');
}`;

/** Creates the network that all containers share. Outlives `down`, so that the address of GitHub stays the same. */
export async function createNetwork({ env }: Engine): Promise<{ address: string; remove(): Promise<void> }> {
  const docker = createDocker(env);
  const address = `${SUBNET}.1`;
  await docker(['network', 'create', '--subnet', `${SUBNET}.0/24`, '--gateway', address, NAME]);
  return { address, remove: async () => void (await docker(['network', 'rm', NAME]).catch(() => {})) };
}

async function writeProject(
  { engine, github, dir, agentPath }: Parameters<typeof createProject>[0],
  docker: ReturnType<typeof createDocker>,
): Promise<void> {
  const token = github.twin.tokens['robot'] ?? '';
  const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
  const mount = ['--user', user, '--volume', `${dir}:/work`, '--workdir', '/work'];
  const tokens = ['GITHUB_TOKEN', 'WORKER_GITHUB_TOKEN'].flatMap((name) => ['--env', `${name}=${token}`]);
  const agent = ['--agent', 'command', '--command', 'node', AGENT];
  const init = ['init', '--compose', '--repo', REPO, '--api-url', github.url, '--no-labels', ...agent];
  await docker(['run', '--rm', ...mount, ...tokens, IMAGE, ...init]);

  const at = (name: string): string => join(dir, name);
  edit(at('mergexo.toml'), (text) =>
    [
      ['poll_interval_seconds', '5'],
      ['visibility_window_seconds', '60'],
      ['feedback_debounce_seconds', '1'],
      ['allowed_users', '["alice"]'],
    ]
      .reduce(
        (config, [key = '', value = '']) =>
          config.replace(new RegExp(`^# ${key} = .*$`, 'm'), `${key} = ${value}`),
        text,
      )
      .replace(/^(\[review\]\n[^[]*?)# enabled = true$/m, '$1enabled = false'),
  );
  edit(at('.env'), (text) => text.replace(/^MERGEXO_IMAGE=$/m, `MERGEXO_IMAGE=${IMAGE}`));
  copyFileSync(github.caPath, at('ca.pem'));
  copyFileSync(agentPath, at('agent.mjs'));
  const openFiles = engine.hasStandIns ? await readOpenFiles() : MAX_OPEN_FILES;
  writeFileSync(at('docker-compose.override.yml'), renderOverride(github.host, openFiles));
}

function edit(path: string, change: (text: string) => string): void {
  const before = readFileSync(path, 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`${path} does not contain what the test wants to change`);
  writeFileSync(path, after);
}

/** An engine that this test started cannot allow more open files than the test itself may have. */
async function readOpenFiles(): Promise<number> {
  return Math.min(Number(await runCommand('sh', ['-c', 'ulimit -Hn'])) || MAX_OPEN_FILES, MAX_OPEN_FILES);
}

/** GitHub's name leads to this machine, whose certificate comes from a private authority. */
function renderOverride(host: string, openFiles: number): string {
  return `services:
  poller: &github
    extra_hosts: ['${host}:${SUBNET}.1']
    environment: { NODE_EXTRA_CA_CERTS: /etc/test-ca.pem }
    volumes: ['./ca.pem:/etc/test-ca.pem:ro']
  worker:
    <<: *github
    volumes: ['./ca.pem:/etc/test-ca.pem:ro', './agent.mjs:${AGENT}:ro']
    ulimits: { nofile: ${openFiles} }
  dashboard:
    ports: !override ['127.0.0.1:0:7420']
networks:
  default:
    name: ${NAME}
    external: true
`;
}
