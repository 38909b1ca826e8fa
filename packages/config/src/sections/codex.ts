import { extraArguments } from '../kinds/arguments.js';
import { word } from '../kinds/basics.js';
import { program } from '../kinds/paths.js';
import { key } from './section.js';

// Options in their long, short and glued forms, and the configuration keys behind them.
const RESERVED =
  /^(?:--dangerously|--yolo|--full-auto|--sandbox|--ask-for-approval|--add-dir|--cd\b|-s|-a|-C)|danger-full-access|approval_policy|sandbox_/;

export const codex = {
  title: 'codex',
  about: 'The Codex CLI, with the login that it has on this machine.',
  shape: {
    binary: key(program().default('codex'), { about: 'The program to start.' }),
    model: key(word().optional(), {
      about: 'Model to use.',
      absent: 'what Codex chooses',
      example: 'gpt-5.5',
    }),
    profile: key(word().optional(), {
      about: 'Profile of the Codex configuration to use.',
      absent: 'none',
      example: 'mergexo',
    }),
    extraArgs: key(extraArguments(RESERVED, 'sets sandbox, approvals or directories').default([]), {
      about: 'Further arguments.',
    }),
  },
};
