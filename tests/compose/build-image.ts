import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createDocker, type Engine } from './engine/engine.js';
import { runCommand } from './run-command.js';

export const IMAGE = 'mergexo-test/mergexo';
const BUILD_LIMIT_MS = 20 * 60_000;
const DIGEST = /@sha256:[0-9a-f]{64}/g;

/** Builds the image without agents from a copy of the checkout's files, including changes that are not committed. */
export async function buildImage(engine: Engine, root: string, dir: string): Promise<void> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = (await runCommand('git', args, { cwd: root })).split('\0');
  for (const file of files.filter((name) => name !== '' && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    cpSync(join(root, file), join(dir, file));
  }
  if (engine.hasStandIns) stripDigests(dir);
  const network = engine.hasStandIns ? ['--network', 'host'] : [];
  const options = ['--quiet', '--target', 'plain', '--tag', IMAGE];
  await createDocker(engine.env)(['build', ...network, ...options, dir], BUILD_LIMIT_MS);
}

/** Local stand-ins have the names of the base images, but other digests. */
function stripDigests(dir: string): void {
  for (const name of ['Dockerfile', 'docker-compose.yml']) {
    const path = join(dir, name);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(DIGEST, ''));
  }
}
