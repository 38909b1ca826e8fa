import { flag, oneOf, regularExpression, word } from '../kinds/basics.js';
import { branchName, label, login, logins, repositoryName } from '../kinds/github-names.js';
import { relativePath } from '../kinds/paths.js';
import { remoteUrl } from '../kinds/urls.js';
import { adapterName } from './agent.js';
import { key } from './section.js';

export const repo = {
  title: 'repo.<id>',
  about:
    'One table per repository; `<id>` is a short name of your choice (letters, digits, hyphens, underscores). MergeXO writes to these repositories and to no others.',
  shape: {
    owner: key(login(), { about: 'The user or organisation that owns it.', example: 'octo-org' }),
    name: key(repositoryName(), { about: 'Its name.', example: 'hello-world' }),
    defaultBranch: key(branchName().default('main'), { about: 'The branch that pull requests go to.' }),
    remoteUrl: key(remoteUrl().optional(), {
      about: 'Where to fetch from and push to.',
      absent: 'HTTPS, on the host of `github.api_url`',
      example: 'git@github.com:octo-org/hello-world.git',
    }),
    designLabel: key(label().default('agent:design'), { about: 'Label that asks for a design document.' }),
    bugfixLabel: key(label().default('agent:bugfix'), { about: 'Label that asks for a bug fix.' }),
    smallJobLabel: key(label().default('agent:small-job'), { about: 'Label that asks for a small job.' }),
    ignoreLabel: key(label().default('agent:ignore'), {
      about: 'Label by which a person takes over: nothing runs while it is there.',
    }),
    designDocsDir: key(relativePath().default('docs/design'), { about: 'Where design documents go.' }),
    allowedUsers: key(logins().optional(), {
      about:
        'People whose issues, comments and reviews count. An organisation is no person: name people then.',
      absent: '`[owner]`',
      example: ['octocat', 'hubot-keeper'],
    }),
    operatorLogins: key(logins().optional(), {
      about: 'People who may give operator commands such as `/mergexo unblock`.',
      absent: 'the value of `allowed_users`',
      example: ['octocat'],
    }),
    requiredTests: key(relativePath().optional(), {
      about: 'An executable in the repository that must succeed before anything is pushed.',
      absent: 'no tests are run',
      example: 'scripts/required-tests.sh',
    }),
    testFileRegex: key(regularExpression().optional(), {
      about: 'A bug fix must change a file whose path matches.',
      absent: 'a bug fix may come without a test',
      example: '(^|/)tests?/',
    }),
    codingGuidelinesPath: key(relativePath().optional(), {
      about: 'A document in the repository that every agent is told to follow; read from the default branch.',
      absent: 'none',
      example: 'docs/guidelines.md',
    }),
    ciPolicy: key(oneOf(['never', 'first_fail', 'all_complete']).default('all_complete'), {
      about:
        'When failing checks become feedback: never, at the first failure, or when all checks of the head have ended.',
    }),
    autoUpdate: key(flag().default(false), {
      about:
        'Merge the base branch when it conflicts, without waiting for `/mergexo update`. Never a rebase.',
    }),
    enableFeedbackLoop: key(flag().optional(), {
      about: 'Overrides `runtime.enable_feedback_loop` for this repository.',
      absent: 'the value of `[runtime]`',
      example: true,
    }),
    enableIssueCommentRouting: key(flag().optional(), {
      about: 'Overrides `runtime.enable_issue_comment_routing` for this repository.',
      absent: 'the value of `[runtime]`',
      example: true,
    }),
    reviewEnabled: key(flag().optional(), {
      about: 'Overrides `review.enabled` for this repository.',
      absent: 'the value of `[review]`',
      example: true,
    }),
    agentAdapter: key(adapterName().optional(), {
      about: 'Overrides `agent.adapter` for this repository.',
      absent: 'the value of `[agent]`',
      example: 'codex',
    }),
    agentModel: key(word().optional(), {
      about: 'Overrides the model of the agent for this repository.',
      absent: 'the value of the agent’s section',
      example: 'gpt-5.5',
    }),
  },
};
