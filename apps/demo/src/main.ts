#!/usr/bin/env node
/** `npm run demo`: runs the whole product on an offline GitHub, without credentials. */
import { parseArgs } from 'node:util';
import { explainError, UsageError } from '@mergexo/core/basics';
import { invite } from './invite.js';
import { createNarrator } from './narrator.js';
import { keepOnly } from './programs.js';
import { createStage, type Stage } from './stage.js';
import { renderTally, tellStory } from './story.js';

const HELP = `npm run demo -- [options]

  --no-serve                exit when the scripted part ends (for scripts and CI)
  --fast                    make the scripted agent respond faster
  --step-timeout <seconds>  time limit for each step (default: 60)
  --json                    print one JSON object per line
  --help                    show this help
`;

type Options = ReturnType<typeof readOptions>;

try {
  const options = readOptions();
  if (options.help) process.stdout.write(HELP);
  else await main(options);
} catch (error) {
  const problem = explainError(error);
  if (problem === undefined) throw error;
  process.stderr.write(`mergexo demo: ${problem.message}\n`);
  process.exitCode = problem.exitCode;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      'no-serve': { type: 'boolean', default: false },
      fast: { type: 'boolean', default: false },
      'step-timeout': { type: 'string', default: '60' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const stepTimeout = Number(values['step-timeout']);
  if (!(stepTimeout > 0 && stepTimeout <= 3_600))
    throw new UsageError(
      `--step-timeout must be a number of seconds up to 3600, not ${values['step-timeout']}.`,
    );
  return { ...values, stepTimeoutMs: stepTimeout * 1_000 };
}

async function main(options: Options): Promise<void> {
  const begun = performance.now();
  const narrator = createNarrator({
    json: options.json,
    colour: process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined,
    write: (text) => void process.stdout.write(text),
  });
  // The demo has its own GitHub, Redis and secret. Settings of a real installation must not affect it.
  keepOnly(process.env);
  let opening: Promise<Stage> | undefined;
  let leaving = false;
  const leave = async (code: number): Promise<void> => {
    // Closing the stage makes the running story fail, so only the first call sets the exit code.
    if (leaving) return;
    leaving = true;
    const stage = await opening?.catch(() => undefined);
    await stage?.close({ keepLogs: code === 1 }).catch(() => {});
    if (code === 1 && stage !== undefined)
      process.stderr.write(`Logs of the poller, the workers and the dashboard: ${stage.logs}\n`);
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void leave(130));
  try {
    narrator.say('Starting Redis, the poller, two workers, the dashboard and a local stand-in for GitHub …');
    opening = createStage(options);
    const stage = await opening;
    if (leaving) return;
    for (const app of ['poller', 'worker-1', 'worker-2', 'dashboard'] as const) stage.start(app);
    narrator.link('GitHub stand-in:', `${stage.twin.url}/`);
    narrator.link('Dashboard:', stage.dashboardUrl);
    const counts = await tellStory(stage, narrator);
    narrator.table(renderTally(counts, (performance.now() - begun) / 1_000));
    const clean = counts.duplicates + counts.lost + counts.rewritten === 0;
    if (options['no-serve']) return await leave(clean ? 0 : 1);
    await invite(stage, narrator);
  } catch (error) {
    if (leaving) return;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    await leave(1);
  }
}
