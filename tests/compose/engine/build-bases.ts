import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../run-command.js';
import { findDebianMirror } from './debian-mirror.js';
import type { Docker } from './engine.js';

type Tools = { dir: string; docker: Docker; env: NodeJS.ProcessEnv; say: (text: string) => void };

const SUITE = 'bookworm';
const MINIMAL = `mergexo-test/${SUITE}`;
const NODE = ['node:22-bookworm-slim', 'node:22-bookworm'];
const REDIS = 'redis:7-alpine';
const INSTALL = 'apt-get update -qq && apt-get install -y -qq --no-install-recommends';
const CA = '/etc/ssl/certs/ca-certificates.crt';

/** Builds images with the names of the base images: a small Debian with Node and npm, and one with Redis. */
export async function buildBases(tools: Tools): Promise<void> {
  const known = (await tools.docker(['image', 'ls', '--format', '{{.Repository}}:{{.Tag}}'])).split('\n');
  const lacks = (name: string): boolean => !known.includes(name);
  if (lacks(`${MINIMAL}:latest`)) await importDebian(tools);
  if (NODE.some(lacks)) await buildNode(tools);
  if (lacks(REDIS)) await buildRedis(tools);
}

async function importDebian({ dir, env, say }: Tools): Promise<void> {
  say('debootstrap');
  const root = join(dir, 'root');
  rmSync(root, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const options = ['--variant=minbase', '--include=ca-certificates', SUITE, root, await findDebianMirror()];
  await runCommand('debootstrap', options);
  rmSync(join(root, 'var/cache/apt/archives'), { recursive: true, force: true });
  await runCommand('sh', ['-ec', `tar -C "$0" -c . | docker import - ${MINIMAL}`, root], { env });
  rmSync(root, { recursive: true, force: true });
}

async function buildNode(tools: Tools): Promise<void> {
  tools.say('the image of Node, from npm packages');
  const context = await freshContext(tools, 'node');
  const target = (name: string): string => join(context, 'local', name);
  mkdirSync(target('etc'), { recursive: true });
  await unpack(`node-linux-${process.arch}@22`, target(''), 'package/bin');
  await unpack('npm@10', target('lib/node_modules/npm'));
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, target(`bin/${name}`));
  // npm trusts whatever the machine trusts, and asks the same registry. Nothing else in the image does.
  const settings = [`registry=${await readRegistry()}`, 'update-notifier=false'];
  if (existsSync(CA)) {
    copyFileSync(CA, target('etc/machine-ca.pem'));
    settings.push('cafile=/usr/local/etc/machine-ca.pem');
  }
  writeFileSync(target('etc/npmrc'), `${settings.join('\n')}\n`);
  writeFileSync(
    join(context, 'Dockerfile'),
    `FROM ${MINIMAL}
RUN useradd --uid 1000 --user-group --create-home --shell /bin/bash node
RUN ${INSTALL} libatomic1 libstdc++6 && rm -rf /var/lib/apt/lists/*
COPY local/ /usr/local/
RUN node --version && npm --version
`,
  );
  await build(tools, context, NODE);
}

async function buildRedis(tools: Tools): Promise<void> {
  tools.say('the image of Redis, from Debian');
  const context = await freshContext(tools, 'redis');
  writeFileSync(
    join(context, 'Dockerfile'),
    `FROM ${MINIMAL}
RUN useradd --system --uid 999 --user-group --home-dir /data redis
RUN ${INSTALL} redis-server && rm -rf /var/lib/apt/lists/*
RUN install -d -o redis -g redis /data
VOLUME /data
WORKDIR /data
`,
  );
  await build(tools, context, [REDIS]);
}

async function freshContext({ dir }: Tools, name: string): Promise<string> {
  const context = join(dir, name);
  rmSync(context, { recursive: true, force: true });
  mkdirSync(context, { recursive: true });
  return context;
}

async function build({ docker }: Tools, context: string, names: readonly string[]): Promise<void> {
  const tags = names.flatMap((name) => ['--tag', name]);
  await docker(['build', '--quiet', '--network', 'host', ...tags, context]);
}

/** Unpacks an npm package, or one of its folders, into a directory. */
async function unpack(name: string, into: string, folder = 'package'): Promise<void> {
  mkdirSync(into, { recursive: true });
  await runCommand('npm', ['pack', '--silent', name], { cwd: into });
  const archive = readdirSync(into).find((file) => file.endsWith('.tgz'));
  if (archive === undefined) throw new Error(`npm packed no ${name}`);
  await runCommand('tar', ['-xzf', archive, '--strip-components=1', folder], { cwd: into });
  rmSync(join(into, archive));
}

async function readRegistry(): Promise<string> {
  return (await runCommand('npm', ['config', 'get', 'registry'])).trim();
}
