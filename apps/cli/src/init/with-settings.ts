import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings, type Settings } from '@mergexo/config';
import type { Context } from '../context.js';

/** The config file, and its text if the file does not exist yet. */
export type ConfigDraft = { configPath: string; text: string | undefined };

/** Reads the settings as if the new config were written. Reads a draft in a temporary directory. */
export function withSettings<T>(
  context: Context,
  { configPath, text }: ConfigDraft,
  use: (settings: Settings) => T,
): T {
  if (text === undefined) return use(readSettings({ ...context, configPath }));
  const directory = mkdtempSync(join(tmpdir(), 'mergexo-init-'));
  try {
    const draft = join(directory, 'mergexo.toml');
    writeFileSync(draft, text, { mode: 0o600 });
    return use(readSettings({ ...context, configPath: draft }));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
