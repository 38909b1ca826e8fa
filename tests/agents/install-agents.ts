import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const VERSIONS = { '@openai/codex': '0.166.0', '@anthropic-ai/claude-code': '2.1.325' } as const;

export type InstalledAgents = { cache: string; codex: string; claude: string };

/** Returns the agents' directory, outside the repository: they take 800 MB, and few tests need them. */
export function findCache(env: NodeJS.ProcessEnv): string {
  return env['MERGEXO_AGENTS_CACHE'] || join(homedir(), '.cache', 'mergexo-agents');
}

export function locateAgents(cache: string): InstalledAgents {
  const bin = join(cache, 'node_modules', '.bin');
  return { cache, codex: join(bin, 'codex'), claude: join(bin, 'claude') };
}

/** Installs each program that is missing or has the wrong version. */
export function installAgents(cache: string): InstalledAgents {
  const missing = Object.entries(VERSIONS).filter(([name, version]) => readVersion(cache, name) !== version);
  if (missing.length > 0) {
    mkdirSync(cache, { recursive: true });
    const packages = Object.entries(VERSIONS).map(([name, version]) => `${name}@${version}`);
    const options = ['--no-audit', '--no-fund', '--loglevel=error'];
    // Runs outside the repository, so that MergeXO's package.json and install-script rules do not apply to the agents.
    execFileSync('npm', ['install', '--prefix', cache, ...options, ...packages], {
      cwd: cache,
      stdio: ['ignore', 'inherit', 'inherit'],
      timeout: 15 * 60_000,
    });
  }
  return locateAgents(cache);
}

function readVersion(cache: string, name: string): string | undefined {
  const path = join(cache, 'node_modules', name, 'package.json');
  return existsSync(path) ? String(JSON.parse(readFileSync(path, 'utf8')).version) : undefined;
}
