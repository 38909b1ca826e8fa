import { flag } from '../kinds/basics.js';
import { clientId } from '../kinds/github-app.js';
import { directory } from '../kinds/paths.js';
import { key } from './section.js';

const identity = {
  clientId: key(clientId(), {
    about: 'Client id of the App, from its settings on GitHub.',
    example: 'Iv23liAbCdEfGhIjKlMn',
  }),
  privateKeyPath: key(directory(), {
    about: 'File with the private key of the App. Only its owner may read the file (mode 600).',
    example: '~/.mergexo/app-key.pem',
  }),
  secondPrivateKeyPath: key(directory().optional(), {
    about: 'File with a second private key, which MergeXO uses if GitHub rejects the first one.',
    absent: 'no second key',
    example: '~/.mergexo/app-key-2.pem',
  }),
};

export const githubApp = {
  title: 'github.app',
  about:
    'The GitHub App as which MergeXO runs ([operations](operations.md#run-as-a-github-app)). Only the poller reads the keys. Without this table, MergeXO uses your login.',
  isOptional: true,
  shape: {
    ...identity,
    workflows: key(flag().default(false), {
      about:
        'Lets workers push changes to files in `.github/workflows`. The App then needs the permission *workflows: write*.',
    }),
  },
} as const;

export const reviewApp = {
  title: 'review.app',
  about:
    'A second GitHub App, which approves the pull requests of the first login or requests changes. MergeXO then ignores `MERGEXO_REVIEWER_TOKEN`.',
  isOptional: true,
  shape: {
    ...identity,
    clientId: key(clientId(), {
      about: 'Client id of the second App, which must be another one than in `[github.app]`.',
      example: 'Iv23liNmOpQrStUvWxYz',
    }),
  },
} as const;
