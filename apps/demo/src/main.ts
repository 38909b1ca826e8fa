#!/usr/bin/env node
/** `npm run demo`: the whole product on an offline GitHub, without credentials. */
import { parseArgs } from 'node:util';
import { invite } from './invite.js';
import { createNarrator } from './narrator.js';
import { createStage, type Stage } from './stage.js';
import { renderTally, tellStory } from './story.js';

const HELP = `npm run demo -- [options]

  --no-serve   stop after the story (for scripts and CI)
  --fast       an agent that thinks for a shorter time
  --json       one JSON object per line
  --help       this text
`;

const { values } = parseArgs({
  options: {
    'no-serve': { type: 'boolean', default: false },
    fast: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(HELP);
else await main();

async function main(): Promise<void> {
  const begun = performance.now();
  const narrator = createNarrator({
    json: values.json,
    colour: process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined,
    write: (text) => void process.stdout.write(text),
  });
  let opening: Promise<Stage> | undefined;
  let leaving = false;
  const leave = async (code: number): Promise<void> => {
    // The story stumbles when its stage is taken away; whoever took it away decides how it ends.
    if (leaving) return;
    leaving = true;
    await opening?.then((stage) => stage.close()).catch(() => {});
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void leave(130));
  try {
    narrator.say('Starting an offline GitHub, Redis, the poller, two workers and the dashboard …');
    opening = createStage({ fast: values.fast });
    const stage = await opening;
    if (leaving) return;
    for (const app of ['poller', 'worker-1', 'worker-2', 'dashboard'] as const) stage.start(app);
    narrator.link(`GitHub's twin is at`, `${stage.twin.url}/`);
    narrator.link('The fleet is at', stage.dashboardUrl);
    const counts = await tellStory(stage, narrator);
    narrator.table(renderTally(counts, (performance.now() - begun) / 1_000));
    const clean = counts.duplicates + counts.lost + counts.rewritten === 0;
    if (values['no-serve']) return await leave(clean ? 0 : 1);
    await invite(stage, narrator);
  } catch (error) {
    if (leaving) return;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    await leave(1);
  }
}
