import type { SteerOrder } from '@mergexo/core/ledger';
import type { Command } from 'commander';
import { addCommand, type CommonOptions, contextOf, examples } from './command-line.js';
import type { SteerOptions } from './operator/steer.js';

/** Adds the commands with which an operator steps in. */
export function addOperatorCommands(program: Command): void {
  addSteerCommand(program, 'pause [number]', 'pause', {
    about: 'start no new turns: of an issue, of a repository, or at all',
    details: `
A running turn finishes and posts its result. MergeXO keeps reading GitHub, and works on everything that waits after
\`resume\`. To stop a running turn, use \`cancel\`.`,
    lines: ['pause', 'pause --repo ada/engine --reason "release day"', 'pause 42'],
  });
  addSteerCommand(program, 'resume [number]', 'resume', {
    about: 'continue paused work',
    details: `
Use the same number and --repo as for \`pause\`. Work that is paused in a wider scope stays paused: \`status\` lists all
pauses.`,
    lines: ['resume', 'resume --repo ada/engine', 'resume 42'],
  });
  addSteerCommand(program, 'cancel <number>', 'cancel', {
    about: 'stop the running turn of an issue or pull request, and pause the issue',
    details: `
The worker stops the agent within a few seconds, and MergeXO posts nothing of the turn. Its comments stay unanswered until
\`resume\`. If the agent has already finished, nothing is canceled.`,
    lines: ['cancel 42', 'cancel 42 --repo ada/engine --reason "wrong approach"'],
  });
}

function addSteerCommand(
  program: Command,
  name: string,
  order: SteerOrder,
  { about, details, lines }: { about: string; details: string; lines: string[] },
): void {
  const command = addCommand(program, name, about).option(
    '--repo <owner/name>',
    'the repository (with a number, default: the only one)',
  );
  if (order !== 'resume') command.option('--reason <text>', 'shown in status and the timeline');
  command
    .addHelpText('after', `${details}\n${examples(...lines)}`)
    .action(async (number: string | undefined, options: CommonOptions & SteerOptions) => {
      const { steer } = await import('./operator/steer.js');
      await steer(await contextOf(options), { order, number, options });
    });
}
