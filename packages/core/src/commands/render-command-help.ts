import { COMMAND_KINDS, COMMAND_TRAITS } from './command-kind.js';

const PLACES = { issue: ', on an issue', pull: ', on a pull request', both: '' };
const EVERYBODY = ' (also for everyone in `allowed_users`)';

export function renderCommandHelp(): string {
  const lines = COMMAND_KINDS.flatMap((kind) => {
    const { by, place, help } = COMMAND_TRAITS[kind];
    const end = by === 'allowed' ? EVERYBODY : '';
    return help.map(({ form, about }) => `- \`/mergexo ${form}\`${PLACES[place]}: ${about}${end}`);
  });
  const reasoned = COMMAND_KINDS.filter((kind) => 'takesReason' in COMMAND_TRAITS[kind]);
  const names = reasoned.map((kind) => `\`${kind}\``).join(', ');
  return [
    'Write the command on its own line, one per comment. Operators can use all commands:',
    '',
    ...lines,
    '',
    `To record why, add \`reason=<text>\` to the end of the line. These commands take a reason: ${names}.`,
  ].join('\n');
}
