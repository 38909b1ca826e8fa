import type { SteerOrder } from '@mergexo/core/ledger';
import type { Command } from 'commander';
import { addCommand, type CommonOptions, contextOf, examples } from './command-line.js';
import type { SteerOptions } from './operator/steer.js';
import type { UnblockOptions } from './operator/unblock.js';

type Help = { about: string; details: string; lines: string[] };

/** Adds the commands with which an operator steps in. */
export function addOperatorCommands(program: Command): void {
  addSteerCommand(
    program,
    { usage: 'pause [number]', order: 'pause' },
    {
      about: 'pause all work, a repository or an issue: no new turns start',
      details: `
A running turn finishes and posts its result. MergeXO keeps polling GitHub. After \`resume\`, it works on everything
that is waiting. To stop a running turn, use \`cancel\`.`,
      lines: ['pause', 'pause --repo ada/engine --reason "release day"', 'pause 42'],
    },
  );
  addSteerCommand(
    program,
    { usage: 'resume [number]', order: 'resume' },
    {
      about: 'continue paused work',
      details: `
Use the same number and --repo as for \`pause\`. Work that is paused in a wider scope stays paused: \`status\` lists all
pauses.`,
      lines: ['resume', 'resume --repo ada/engine', 'resume 42'],
    },
  );
  addSteerCommand(
    program,
    { usage: 'cancel <number>', order: 'cancel' },
    {
      about: 'stop the running turn of an issue or pull request, and pause the issue',
      details: `
The worker stops the agent within two seconds, and MergeXO posts nothing from the turn. The comments that the turn was answering stay unanswered until
\`resume\`. If the agent has already finished, nothing is canceled.`,
      lines: ['cancel 42', 'cancel 42 --repo ada/engine --reason "wrong approach"'],
    },
  );
  addSteerCommand(
    program,
    { usage: 'skip-review <number>', order: 'skip-review' },
    {
      about: 'approve the head of a pull request without an AI review',
      details: `
Stops a running AI review or fix, and sets the commit status \`mergexo/review\` to success. MergeXO reviews later commits
again. To review this one after all, comment \`/mergexo resume\` on the pull request.`,
      lines: ['skip-review 43', 'skip-review 43 --repo ada/engine'],
    },
  );
  addUnblockCommand(program, 'retry', {
    about: 'retry failed or blocked work now',
    details: `
Starts a scheduled retry immediately, unless the agent's provider reports a usage limit. If the work is blocked or over a
limit from [limits], unblocks it; MergeXO then counts usage from zero.`,
    lines: ['retry 42', 'retry 42 --repo ada/engine'],
  });
  addUnblockCommand(program, 'unblock', {
    about: 'unblock an issue or pull request, so that its work resumes',
    details: `
To unblock several at once, or to preview the result first, use \`feedback blocked reset\`.`,
    lines: ['unblock 43', 'unblock 43 --head-sha 0123456789abcdef0123456789abcdef01234567'],
  }).option('--head-sha <sha>', 'accept this commit as the new head of the branch');
}

export const REASON = ['--reason <text>', 'reason to record in the timeline (visible to everybody)'] as const;

function addSteerCommand(
  program: Command,
  { usage, order }: { usage: string; order: SteerOrder },
  { about, details, lines }: Help,
): void {
  const command = addCommand(program, usage, about).option(
    '--repo <owner/name>',
    'the repository (with a number, default: the only one in the config)',
  );
  command
    .option(...REASON)
    .addHelpText('after', `${details}\n${examples(...lines)}`)
    .action(async (number: string | undefined, options: CommonOptions & SteerOptions) => {
      const { steer } = await import('./operator/steer.js');
      await steer(await contextOf(options), { order, number, options });
    });
}

function addUnblockCommand(program: Command, name: string, { about, details, lines }: Help): Command {
  return addCommand(program, `${name} <number>`, about)
    .option('--repo <owner/name>', 'the repository, if several have the number')
    .option(...REASON)
    .addHelpText('after', `${details}\n${examples(...lines)}`)
    .action(async (number: string, options: CommonOptions & UnblockOptions) => {
      const { unblock } = await import('./operator/unblock.js');
      await unblock(await contextOf(options), number, options);
    });
}
