import { COMMAND_KINDS, COMMAND_TRAITS } from './command-kind.js';

const PLACES = { issue: ', on an issue', pull: ', on a pull request', both: '' };
const EVERYBODY = ' (everybody who is allowed to comment may say this)';

export function renderCommandHelp(): string {
  const lines = COMMAND_KINDS.flatMap((kind) => {
    const { by, place, help } = COMMAND_TRAITS[kind];
    const end = by === 'allowed' ? EVERYBODY : '';
    return help.map(({ form, about }) => `- \`/mergexo ${form}\`${PLACES[place]}: ${about}${end}`);
  });
  return ['Operators can say, alone on a line:', '', ...lines].join('\n');
}
