import { flag } from '../kinds/basics.js';

import { commitEmail, commitName } from '../kinds/commit-names.js';
import { apiUrl } from '../kinds/urls.js';
import { key } from './section.js';

export const github = {
  title: 'github',
  about: 'The GitHub server. The token comes from the environment (`GITHUB_TOKEN`) or from `gh auth token`.',
  shape: {
    apiUrl: key(apiUrl().default('https://api.github.com'), {
      about: 'Address of the REST API. For GitHub Enterprise Server, use `https://<host>/api/v3`.',
    }),
    commitName: key(commitName().optional(), {
      about: 'Author name of the commits that MergeXO pushes.',
      absent: 'the user name of the GitHub account that the token belongs to',
      example: 'Acme Robot',
    }),
    commitEmail: key(commitEmail().optional(), {
      about:
        'Author e-mail address of the commits that MergeXO pushes. GitHub credits the commits to the account with this address, so use your own.',
      absent:
        '`<id>+<login>@users.noreply.github.com` of that account; on an Enterprise host, its own noreply host',
      example: 'robot@acme.example',
    }),
    reactions: key(flag().default(true), {
      about:
        'Reacts to issues and comments: 👀 once MergeXO has picked them up, 🚀 once they are answered, 😕 while a person must act.',
    }),
    statusComment: key(flag().default(true), {
      about: 'Keeps one comment per issue up to date with the stage, the time and the cost of the work.',
    }),
  },
};
