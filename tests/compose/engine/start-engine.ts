import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, findOnPath, GiveUpWhen } from '@mergexo/testkit';
import { runCommand } from '../run-command.js';
import { buildBases } from './build-bases.js';
import { createDocker, type Engine } from './engine.js';
import { installCompose } from './install-compose.js';

const PACKAGES = { dockerd: 'docker.io', iptables: 'iptables', debootstrap: 'debootstrap' };
const STOP_MS = 30_000;

/** Starts a Docker engine with its own data and its own network, next to no other engine, and builds stand-ins for the base images. */
export async function startEngine(dir: string, say: (text: string) => void): Promise<Engine> {
  await installPackages(say);
  const at = (name: string): string => join(dir, name);
  mkdirSync(at('config'), { recursive: true });
  const { NODE_OPTIONS: _ours, ...inherited } = process.env;
  const env = {
    ...inherited,
    DOCKER_HOST: `unix://${at('docker.sock')}`,
    DOCKER_CONFIG: at('config'),
    // The packages contain no BuildKit.
    DOCKER_BUILDKIT: '0',
  };
  say('starting dockerd');
  const log = openSync(at('dockerd.log'), 'a');
  const options = [
    ...['--data-root', at('data'), '--exec-root', at('exec'), '--pidfile', at('pid')],
    ...['--host', env.DOCKER_HOST],
    // The containers need no other network, so the firewall of this machine stays as it is.
    ...['--iptables=false', '--ip6tables=false'],
  ];
  const daemon = spawn('dockerd', options, { stdio: ['ignore', log, log], env: inherited });
  closeSync(log);
  const exited = once(daemon, 'exit');
  const stop = async (): Promise<void> => {
    if (existsSync(at('pid'))) process.kill(Number(readFileSync(at('pid'), 'utf8')), 'SIGTERM');
    const limit = setTimeout(() => daemon.kill('SIGKILL'), STOP_MS);
    await exited;
    clearTimeout(limit);
    // dockerd leaves a mount and its bridge behind.
    await runCommand('umount', [at('exec/netns/default')]).catch(() => {});
    await runCommand('ip', ['link', 'delete', 'docker0']).catch(() => {});
  };
  try {
    const docker = createDocker(env);
    await eventually(async () => {
      const isOver = daemon.exitCode !== null;
      await docker(['version'], 10_000).catch((error: unknown) => {
        const tail = isOver ? readFileSync(at('dockerd.log'), 'utf8').slice(-2_000) : String(error);
        throw new GiveUpWhen(isOver, `dockerd does not answer: ${tail}`);
      });
    }, 60_000);
    await installCompose({ dir: at('compose'), plugins: at('config/cli-plugins'), docker });
    await buildBases({ dir: at('bases'), docker, env, say });
    const version = (await docker(['version', '--format', '{{.Server.Version}}'])).trim();
    return { env, description: `a Docker engine ${version} of its own`, hasStandIns: true, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function installPackages(say: (text: string) => void): Promise<void> {
  const missing = Object.entries(PACKAGES).flatMap(([program, name]) =>
    findOnPath(program) === undefined ? [name] : [],
  );
  if (missing.length === 0) return;
  say(`installing ${missing.join(', ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await runCommand('apt-get', ['update', '-qq'], { env });
  await runCommand('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], { env });
}
