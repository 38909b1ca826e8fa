import { spawnSync } from 'node:child_process';
import { Command } from 'commander';
import { renderCompletion } from './completion.js';

describe('completion', () => {
  const program = new Command('mergexo');
  program.command('status').option('--json', 'print JSON').option('--repo <name>', 'one repository');
  const blocked = program.command('feedback').command('blocked').description("the operator's list");
  blocked.command('list').option('--all', 'everything');
  blocked.command('reset');

  /** Completes the last word in a real bash. */
  const complete = (...words: string[]): string[] => {
    const script = `${renderCompletion(program, 'bash')}
COMP_WORDS=(mergexo "$@"); COMP_CWORD=$#; _mergexo; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((word) => word !== '');
  };

  it.each<[string[], string[]]>([
    [[''], ['status', 'feedback', '--help']],
    [['st'], ['status']],
    [
      ['status', '--'],
      ['--json', '--repo', '--help'],
    ],
    [['status', '--repo', 'x', '--j'], ['--json']],
    [
      ['feedback', ''],
      ['blocked', '--help'],
    ],
    [
      ['feedback', 'blocked', ''],
      ['list', 'reset', '--help'],
    ],
    [['feedback', 'blocked', 'list', '--a'], ['--all']],
    [['nonsense', 'fee'], ['feedback']],
    [['status', 'x'], []],
  ])('completes %j in bash', (words, expected) => {
    expect(complete(...words)).toEqual(expected);
  });

  it('lets zsh run the script for bash', () => {
    expect(renderCompletion(program, 'zsh')).toBe(
      `autoload -U +X bashcompinit && bashcompinit\n${renderCompletion(program, 'bash')}`,
    );
  });

  it('escapes quotes for fish', () => {
    expect(renderCompletion(program, 'fish')).toContain(
      "complete -c mergexo -n '__fish_seen_subcommand_from feedback; and not __fish_seen_subcommand_from blocked' -f -a blocked -d 'the operator\\'s list'",
    );
  });
});
