import { extraArguments } from '../kinds/arguments.js';
import { oneOf, word } from '../kinds/basics.js';
import { program } from '../kinds/paths.js';
import { key } from './section.js';

// Matches the long, short and joined forms of reserved options, and the config keys that they set.
const RESERVED =
  /^(?:--dangerously|--yolo|--full-auto|--sandbox|--ask-for-approval|--add-dir|--cd\b|-s|-a|-C)|danger-full-access|approval_policy|sandbox_/;

export const codex = {
  title: 'codex',
  about: 'The Codex CLI. It uses its login on this machine.',
  shape: {
    binary: key(program().default('codex'), { about: 'The program to start.' }),
    model: key(word().optional(), {
      about: 'Model to use.',
      absent: "Codex's default",
      example: 'gpt-5.5',
    }),
    profile: key(word().optional(), {
      about: 'Profile of the Codex configuration to use.',
      absent: 'none',
      example: 'mergexo',
    }),
    ownSandbox: key(oneOf(['required', 'optional']).default('required'), {
      about:
        '`required` starts Codex only if its own sandbox works inside bubblewrap. `optional` also starts Codex with bubblewrap alone if Codex’s own sandbox does not work. Commands then have the same network as Codex and can change the copy of the login.',
    }),
    extraArgs: key(extraArguments(RESERVED, 'sets the sandbox, approvals or directories').default([]), {
      about: 'Additional arguments.',
    }),
  },
};
