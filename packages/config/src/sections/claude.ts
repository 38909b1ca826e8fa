import { extraArguments } from '../kinds/arguments.js';
import { oneOf, word } from '../kinds/basics.js';
import { program } from '../kinds/paths.js';
import { key } from './section.js';

const RESERVED = /^--(?:allow-)?(?:dangerously|permission-|settings\b|setting-sources|mcp-config|add-dir)/;

export const claude = {
  title: 'claude',
  about: 'Claude Code. It uses its login on this machine.',
  shape: {
    binary: key(program().default('claude'), { about: 'The program to start.' }),
    model: key(word().optional(), {
      about: 'Model to use.',
      absent: "Claude Code's default",
      example: 'sonnet',
    }),
    permissionMode: key(
      oneOf(['default', 'acceptEdits', 'dontAsk', 'bypassPermissions']).default('acceptEdits'),
      {
        about:
          'What the agent may do without asking. `acceptEdits` also allows commands if they can have their own sandbox. Use `dontAsk` and `bypassPermissions` only with a sandbox.',
      },
    ),
    extraArgs: key(extraArguments(RESERVED, 'sets permissions, settings or directories').default([]), {
      about: 'Additional arguments.',
    }),
  },
};
