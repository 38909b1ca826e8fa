import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { MERGEXO_CLI, UsageError } from '@mergexo/core/basics';
import type { Context } from '../../context.js';
import { buildService, refuseTemporaryCopy } from '../../service/build-service.js';
import { findService, isForeign } from '../../service/find-service.js';
import { LAUNCHD_DOMAIN, LAUNCHD_TARGET } from '../../service/launchd-target.js';
import { askManager, type Env, requireManager } from '../../service/run-manager.js';

const STOP_LIMIT_MS = 180_000;

/** Writes the service file and starts the service, now and at each login. A second call updates and restarts it. */
export async function installService(context: Context): Promise<void> {
  const { env, homeDir } = context;
  refuseTemporaryCopy();
  const { kind, file, path: shortPath } = buildService(context);
  const path = shortPath.replace('~', homeDir);
  if (isForeign(kind, homeDir))
    throw new UsageError(
      `${path} is not MergeXO's. Move it away, then repeat the command. Nothing was changed.`,
    );
  const wasInstalled = findService(homeDir) !== undefined;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, file, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  const next = `The file ${path} was written. Start the service yourself, or remove it with \`${MERGEXO_CLI} service uninstall\`.`;
  if (kind === 'systemd') await startUnit(env, next);
  else await startAgent(path, env, next);
  context.print({ ok: true, kind, path, updated: wasInstalled }, () => [
    wasInstalled
      ? `Updated and restarted the service: ${path}`
      : `Installed and started the service: ${path}`,
    ...(kind === 'systemd' ? describeSystemd() : []),
    `See \`${MERGEXO_CLI} service status\`.`,
  ]);
}

async function startUnit(env: Env, next: string): Promise<void> {
  for (const args of [['daemon-reload'], ['enable', 'mergexo'], ['restart', 'mergexo']])
    await requireManager(['systemctl', '--user', ...args], env, { limitMs: STOP_LIMIT_MS, next });
}

async function startAgent(path: string, env: Env, next: string): Promise<void> {
  // launchd keeps the old definition until the service is removed.
  await askManager(['launchctl', 'bootout', LAUNCHD_TARGET], env, STOP_LIMIT_MS);
  await requireManager(['launchctl', 'bootstrap', LAUNCHD_DOMAIN, path], env, { next });
}

function describeSystemd(): string[] {
  return [
    'Put GITHUB_TOKEN=… and other secrets into ~/.config/mergexo/env (mode 600), unless you use `gh auth login`.',
    'To keep the service running while you are logged out, run `loginctl enable-linger`.',
  ];
}
