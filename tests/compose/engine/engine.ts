import { runCommand } from '../run-command.js';

export type Engine = {
  /** The environment in which `docker` and `docker compose` reach the engine. */
  env: NodeJS.ProcessEnv;
  description: string;
  /** True if no registry can be reached, so that local images stand in for the base images. */
  hasStandIns: boolean;
  stop(): Promise<void>;
};

export type Docker = (args: readonly string[], limitMs?: number) => Promise<string>;

export function createDocker(env: NodeJS.ProcessEnv): Docker {
  return (args, limitMs) => runCommand('docker', args, { env, ...(limitMs !== undefined && { limitMs }) });
}
