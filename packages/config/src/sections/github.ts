import { apiUrl } from '../kinds/urls.js';
import { key } from './section.js';

export const github = {
  title: 'github',
  about: 'Which GitHub. The token comes from the environment (`GITHUB_TOKEN`) or from `gh auth token`.',
  shape: {
    apiUrl: key(apiUrl().default('https://api.github.com'), {
      about: 'Address of the REST API; for GitHub Enterprise Server `https://<host>/api/v3`.',
    }),
  },
};
