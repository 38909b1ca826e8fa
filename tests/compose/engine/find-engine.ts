import { findOnPath } from '@mergexo/testkit';
import { createDocker, type Engine } from './engine.js';
import { startEngine } from './start-engine.js';

export type FoundEngine = { kind: 'found'; engine: Engine } | { kind: 'missing'; reason: string };

/** Uses the machine's Docker engine with compose, or starts one from Debian's packages. `dir` is for its data. */
export async function findEngine(dir: string, say: (text: string) => void): Promise<FoundEngine> {
  const version = await askVersion(process.env);
  if (version !== undefined) {
    const description = `the Docker engine ${version} of this machine`;
    const engine = { env: process.env, description, hasStandIns: false, stop: async () => {} };
    return { kind: 'found', engine };
  }
  const reason = explainMissing();
  if (reason !== undefined) return { kind: 'missing', reason };
  try {
    return { kind: 'found', engine: await startEngine(dir, say) };
  } catch (error) {
    return { kind: 'missing', reason: `a Docker engine could not be started: ${Object(error).message}` };
  }
}

/** Returns the version of the running engine; undefined without an engine or without compose. */
async function askVersion(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const docker = createDocker(env);
  try {
    const version = await docker(['version', '--format', '{{.Server.Version}}'], 30_000);
    await docker(['compose', 'version', '--short'], 30_000);
    return version.trim();
  } catch {
    return undefined;
  }
}

function explainMissing(): string | undefined {
  if (process.platform !== 'linux') return 'no Docker engine is running';
  if (process.getuid?.() !== 0) return 'no Docker engine is running, and only root can start one';
  if (findOnPath('apt-get') === undefined)
    return 'no Docker engine is running, and without apt-get it cannot be installed';
  return undefined;
}
