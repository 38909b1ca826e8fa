import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings, type Settings } from '@mergexo/config';
import { ALLOWED, SECRET, WINDOW_MS } from './constants.js';

export type Variant = {
  review: boolean;
  autoUpdate: boolean;
  maxOpenRuns: number;
  signs: boolean;
  webhook: boolean;
  heartbeats: boolean;
};

const known = new Map<string, Settings>();

/** Reads the settings of the simulated installation as a program would, once per variant. */
export function readWorldSettings(variant: Variant, apiUrl: string, token: string): Settings {
  const key = JSON.stringify([variant, apiUrl, token]);
  const settings = known.get(key) ?? read(variant, apiUrl, token);
  known.set(key, settings);
  return settings;
}

function read({ review, autoUpdate, maxOpenRuns, signs }: Variant, apiUrl: string, token: string): Settings {
  const dir = mkdtempSync(join(tmpdir(), 'mx-search-'));
  try {
    const configPath = join(dir, 'mergexo.toml');
    writeFileSync(
      configPath,
      [
        `[github]\napi_url = "${apiUrl}"\nreactions = ${signs}\nstatus_comment = ${signs}`,
        `[runtime]\nbase_dir = "${dir}"\npoll_interval_seconds = 60\nwrite_spacing_seconds = 0`,
        `visibility_window_seconds = ${WINDOW_MS / 1_000}\nfeedback_debounce_seconds = 3`,
        `[limits]\nmax_open_runs = ${maxOpenRuns}\nmax_turns_per_run = 60\nmax_failures_per_run = 4`,
        `[review]\nenabled = ${review}\nverify = false`,
        '[agent]\nadapter = "command"\nsandbox = "none"\n[command]\nargv = ["true"]',
        `[repo.app]\nowner = "alice"\nname = "app"\nauto_update = ${autoUpdate}`,
        `allowed_users = ${JSON.stringify(ALLOWED)}`,
      ].join('\n'),
    );
    return readSettings({
      configPath,
      env: { GITHUB_TOKEN: token, GH_TOKEN: token, GH_ENTERPRISE_TOKEN: token, MERGEXO_SECRET: SECRET },
      homeDir: dir,
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
