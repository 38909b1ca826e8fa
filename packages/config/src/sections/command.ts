import { commandLine } from '../kinds/arguments.js';
import { key } from './section.js';

export const command = {
  title: 'command',
  about: 'Your own agent: any program that reads one JSON request and writes one JSON answer.',
  shape: {
    argv: key(commandLine().optional(), {
      about:
        'The program and its arguments, started without a shell. Required if `adapter` or an `agent_adapter` is `command`.',
      absent: 'none',
      example: ['/usr/local/bin/my-agent', '--json'],
    }),
  },
};
