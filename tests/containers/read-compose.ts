import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const CLI = 'apps/cli/bin/mergexo.js';
export const ENTRYPOINT = 'packaging/container/entrypoint.sh';
export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

type Ended = { code: number | null; output: string };

/** Runs a program in the checkout, with this environment only. */
export function run(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: ROOT, env: { PATH: process.env['PATH'], ...env }, timeout: 120_000 };
    const child = execFile(file, [...args], options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });
}

const Bind = z.strictObject({
  type: z.literal('bind'),
  source: z.string(),
  target: z.string(),
  read_only: z.literal(true),
  bind: z.strictObject({ create_host_path: z.literal(false) }),
});
const Service = z.object({
  image: z.string(),
  user: z.string().optional(),
  command: z.array(z.string()),
  depends_on: z.array(z.string()).optional(),
  deploy: z.strictObject({ replicas: z.string() }).optional(),
  environment: z.record(z.string(), z.string()),
  cap_drop: z.array(z.string()),
  security_opt: z.array(z.string()),
  healthcheck: z.object({ test: z.array(z.string()), interval: z.string().regex(/^\d+s$/) }),
  logging: z.object({ options: z.strictObject({ 'max-size': z.string(), 'max-file': z.string() }) }),
  stop_grace_period: z.string().regex(/^\d+s$/),
  restart: z.string(),
  volumes: z.array(z.union([z.string(), Bind])),
  ports: z.array(z.string()).optional(),
  mem_limit: z
    .string()
    .regex(/^\d+g$/)
    .optional(),
  memswap_limit: z.string().optional(),
  pids_limit: z.int().optional(),
  ulimits: z.object({ core: z.literal(0), nofile: z.int() }).optional(),
});
const Build = z.object({
  profiles: z.tuple([z.literal('build')]),
  image: z.string(),
  build: z.object({ context: z.literal('.'), args: z.record(z.string(), z.string()) }),
});
const Compose = z.object({
  services: z.object({ redis: Service, poller: Service, worker: Service, dashboard: Service, build: Build }),
  volumes: z.record(z.string(), z.unknown()),
});

export type Service = z.infer<typeof Service>;

/** Reads the compose file. Fails if a service lacks a setting that all services must have. */
export function readCompose() {
  const yaml: { load(text: string): unknown } = createRequire(import.meta.url)('js-yaml');
  return Compose.parse(yaml.load(read('docker-compose.yml')));
}
