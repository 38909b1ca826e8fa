import { UsageError } from '@mergexo/core/basics';
import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** The words that can follow a command. */
type Place = { path: readonly string[]; commands: readonly Command[]; options: readonly string[] };

/** Renders a completion script with all commands and options of the program. */
export function renderCompletion(program: Command, shell: string): string {
  const places = listPlaces(program, []);
  if (shell === 'bash') return renderBash(places);
  // zsh runs completions written for bash.
  if (shell === 'zsh') return `autoload -U +X bashcompinit && bashcompinit\n${renderBash(places)}`;
  if (shell === 'fish') return renderFish(places);
  throw new UsageError(`The shell must be ${SHELLS.join(', ')}, not ${JSON.stringify(shell)}.`);
}

function listPlaces(command: Command, path: readonly string[]): Place[] {
  const commands = command.commands.filter((child) => child.name() !== 'help');
  const options = command.options.flatMap(({ long }) => (long ? [long] : []));
  return [
    { path, commands, options: [...options, '--help'] },
    ...commands.flatMap((child) => listPlaces(child, [...path, child.name()])),
  ];
}

const wordsOf = ({ commands, options }: Place): string =>
  [...commands.map((command) => command.name()), ...options].join(' ');

/** Completes file names where no command or option fits, for example after --config. */
function renderBash(places: readonly Place[]): string {
  const known = places.filter(({ path }) => path.length > 0).map(({ path }) => `"${path.join(' ')}"`);
  return `_mergexo() {
  local path= next= words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${path:+$path }\${COMP_WORDS[i]}"
    case "$next" in ${known.join(' | ')}) path=$next ;; esac
  done
  case "$path" in
${places.map((place) => `    "${place.path.join(' ')}") words="${wordsOf(place)}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _mergexo mergexo
`;
}

function renderFish(places: readonly Place[]): string {
  return `${places.flatMap(renderFishPlace).join('\n')}\n`;
}

function renderFishPlace({ path, commands, options }: Place): string[] {
  const inside = path.map((name) => `__fish_seen_subcommand_from ${name}`);
  const names = commands.map((command) => command.name());
  const outside = names.length === 0 ? [] : [`not __fish_seen_subcommand_from ${names.join(' ')}`];
  const condition = `-n '${[...inside, ...outside].join('; and ') || 'true'}'`;
  return [
    ...commands.map(
      (command) =>
        `complete -c mergexo ${condition} -f -a ${command.name()} -d ${quote(command.description())}`,
    ),
    ...options.map((option) => `complete -c mergexo ${condition} -l ${option.slice(2)}`),
  ];
}

const quote = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
