import { spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { aRequest } from '@mergexo/testkit';
import { findCache, installAgents } from './install-agents.js';
import { A_CHANGE } from './outputs.js';
import { type AdapterName, createWorld, type World } from './world.js';

/** Measures the overhead of the adapter. Runs the same turn alternately with and without the adapter. */
const TURNS = 20;

installAgents(findCache(process.env));
for (const name of ['codex', 'claude'] as const) await measure(name);

async function measure(name: AdapterName): Promise<void> {
  const world = await createWorld(name);
  try {
    world.model.play({ answer: A_CHANGE });
    const agent = await world.agent();
    const bare: number[] = [];
    const adapted: number[] = [];
    // Runs each variant once before measuring, because the first turn in a new home directory is slower.
    await agent.runTurn(aRequest('bugfix_start'), world.turnContext());
    await runBare(world);
    for (let turn = 0; turn < TURNS; turn += 1) {
      bare.push(await time(() => runBare(world)));
      adapted.push(
        await time(async () => {
          const run = await agent.runTurn(aRequest('bugfix_start'), world.turnContext());
          if (run.kind === 'failed') throw new Error(run.message);
        }),
      );
    }
    const [bareMs, adapterMs] = [median(bare), median(adapted)];
    process.stdout.write(
      `${name}: bare ${bareMs.toFixed(0)} ms, through the adapter ${adapterMs.toFixed(0)} ms, ` +
        `ratio ${(adapterMs / bareMs).toFixed(2)} (median of ${TURNS} turns each)\n`,
    );
  } finally {
    await world.close();
  }
}

/** Runs the program with the same arguments, but without a sandbox. */
async function runBare(world: World): Promise<void> {
  const { program, args, env } = world.bare(aRequest('bugfix_start'));
  const child = spawn(program, args, { cwd: world.slot, env, stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.end(aRequest('bugfix_start').prompt);
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`${world.name} exited with ${code}`);
}

async function time(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
