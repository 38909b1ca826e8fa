/** `npm run test:compose` runs docker-compose.yml on a Docker engine, against an offline GitHub, and disturbs it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildImage } from './build-image.js';
import type { Engine } from './engine/engine.js';
import { findEngine } from './engine/find-engine.js';
import { serveGitHub } from './github/serve-github.js';
import { createNetwork, createProject, type Project } from './project.js';
import { SCENARIOS } from './scenarios/all-scenarios.js';
import type { Scenario } from './scenarios/scenario.js';
import { createScene, type Scene } from './scene.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const AGENT = join(ROOT, 'tests/dist/fleet/scripted-agent.js');
const WORKERS = 3;
/** Two polls and the debounce: a second reply to any comment would be there by then. */
const SETTLE_MS = 15_000;
const HELP = `Usage: npm run test:compose -- [options]

Runs docker-compose.yml on a Docker engine, against an offline GitHub. Without a running engine, starts one from Debian's
packages, as root. Skips, with the reason, where no engine can be had.

  --smoke      run the first scenarios and one crash
  --only TEXT  run only the scenarios whose names contain TEXT, after the first
  --require    fail instead of skipping
  --dir DIR    keep the engine's data in DIR, so that the next run is faster
  --help       print this help
`;

type Cleanup = () => Promise<unknown>;
const startedAt = performance.now();
const say = (text: string): void =>
  void process.stdout.write(
    `[${String(Math.round((performance.now() - startedAt) / 1_000)).padStart(4)} s] ${text}\n`,
  );

const { values } = parseArgs({
  options: {
    smoke: { type: 'boolean', default: false },
    only: { type: 'string' },
    require: { type: 'boolean', default: false },
    dir: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(HELP);
else await main();

async function main(): Promise<void> {
  const dir = mkdtempSync(join(realpathSync(tmpdir()), 'mx-compose-'));
  const kept = values.dir ?? join(dir, 'engine');
  mkdirSync(kept, { recursive: true });
  const cleanups: Cleanup[] = [async () => rmSync(dir, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).reverse())
      await cleanup().catch((error: unknown) => say(`could not clean up: ${error}`));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stop().finally(() => process.exit(1)));
  try {
    const found = await findEngine(kept, say);
    if (found.kind === 'missing') {
      say(`skipped: ${found.reason}`);
      if (values.require) process.exitCode = 1;
      return;
    }
    cleanups.push(found.engine.stop);
    const failed = await runAll(found.engine, dir, cleanups);
    if (failed) process.exitCode = 1;
  } finally {
    await stop();
  }
}

async function runAll(engine: Engine, dir: string, cleanups: Cleanup[]): Promise<boolean> {
  const at = (name: string): string => {
    mkdirSync(join(dir, name));
    return join(dir, name);
  };
  say(`building the image on ${engine.description}`);
  await buildImage(engine, ROOT, at('checkout'));
  const network = await createNetwork(engine);
  cleanups.push(network.remove);
  const github = await serveGitHub(at('github'), network.address);
  cleanups.push(github.stop);
  const options = { engine, github, dir: at('project'), agentPath: AGENT, workers: WORKERS };
  const project = await createProject(options);
  cleanups.push(project.remove);
  const scene = createScene(project, github);
  for (const { name, run } of chooseScenarios()) {
    const notes: string[] = [];
    const error = await tryScenario(() => run(scene, (text) => void notes.push(text)));
    say([error === undefined ? 'ok  ' : 'FAIL', name, ...notes.map((text) => `(${text})`)].join(' '));
    if (error !== undefined) return report(project, [String(Object(error).stack ?? error)]);
  }
  return checkAtTheEnd(project, scene);
}

async function checkAtTheEnd(project: Project, scene: Scene): Promise<boolean> {
  await sleep(SETTLE_MS);
  const faults = await scene.findFaults();
  if (faults.length > 0) return report(project, faults);
  say(`ok   all ${scene.countAsked()} comments have exactly one reply`);
  return false;
}

/** The first scenario opens the pull request that all others use. */
function chooseScenarios(): readonly Scenario[] {
  const { smoke, only } = values;
  return SCENARIOS.filter(
    ({ name, isSmoke }, index) =>
      (isSmoke === true || !smoke) && (only === undefined || index === 0 || name.includes(only)),
  );
}

async function tryScenario(run: () => Promise<void>): Promise<unknown> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error ?? new Error('unknown error');
  }
}

async function report(project: Project, faults: readonly string[]): Promise<true> {
  process.stdout.write(`${await project.readLogs()}\n${faults.join('\n')}\n`);
  return true;
}
