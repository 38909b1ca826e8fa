import { chmodSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../run-command.js';
import { findDebianMirror } from './debian-mirror.js';
import type { Docker } from './engine.js';

/** The first Debian release with Compose 2. */
const SUITE = 'trixie';

/** Unpacks Debian's compose plugin for this engine only, unless `docker compose` works already. */
export async function installCompose({
  dir,
  plugins,
  docker,
}: {
  dir: string;
  plugins: string;
  docker: Docker;
}): Promise<void> {
  if (await docker(['compose', 'version']).then(Boolean, () => false)) return;
  const at = (name: string): string => join(dir, name);
  for (const path of [plugins, at('lists/partial'), at('archives/partial'), at('unpacked')])
    mkdirSync(path, { recursive: true });
  writeFileSync(at('sources.list'), `deb ${await findDebianMirror()} ${SUITE} main\n`);
  // Separate lists and archives, so that the machine's own packages do not change.
  const options = [
    `Dir::Etc::SourceList=${at('sources.list')}`,
    'Dir::Etc::SourceParts=-',
    `Dir::State::Lists=${at('lists')}`,
    `Dir::Cache=${dir}`,
    'APT::Sandbox::User=root',
  ].flatMap((option) => ['-o', option]);
  await runCommand('apt-get', ['update', '-qq', ...options]);
  await runCommand('apt-get', ['download', ...options, 'docker-compose'], { cwd: dir });
  const archive = readdirSync(dir).find((name) => name.endsWith('.deb'));
  if (archive === undefined) throw new Error('apt-get downloaded no docker-compose');
  await runCommand('dpkg-deb', ['--extract', at(archive), at('unpacked')]);
  const files = readdirSync(at('unpacked'), { recursive: true, withFileTypes: true });
  const program = files.find((entry) => entry.isFile() && entry.name === 'docker-compose');
  if (program === undefined) throw new Error(`${archive} contains no docker-compose`);
  copyFileSync(join(program.parentPath, program.name), join(plugins, 'docker-compose'));
  chmodSync(join(plugins, 'docker-compose'), 0o755);
  await docker(['compose', 'version']);
}
