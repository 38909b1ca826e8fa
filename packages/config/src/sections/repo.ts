import { flag, oneOf, regularExpression, word } from '../kinds/basics.js';
import { branchName, label, login, logins, repositoryName } from '../kinds/github-names.js';
import { relativePath } from '../kinds/paths.js';
import { remoteUrl } from '../kinds/urls.js';
import { adapterName, adapterNames } from './agent.js';
import { key } from './section.js';

const overrides = (section: string, name: string, example: string | boolean | readonly string[]) => ({
  about: `Overrides \`${section}.${name}\` for this repository.`,
  absent: `the value of \`[${section}]\``,
  example,
});

export const repo = {
  title: 'repo.<id>',
  about:
    'One table per repository; `<id>` is a short name of your choice (letters, digits, hyphens, underscores). MergeXO writes to these repositories and to no others.',
  shape: {
    owner: key(login(), { about: 'The user or organization that owns the repository.', example: 'octo-org' }),
    name: key(repositoryName(), { about: 'The name of the repository.', example: 'hello-world' }),
    defaultBranch: key(branchName().default('main'), { about: 'The base branch of pull requests.' }),
    remoteUrl: key(remoteUrl().optional(), {
      about: 'Where to fetch from and push to.',
      absent: 'an HTTPS URL on the host of `github.api_url`',
      example: 'git@github.com:octo-org/hello-world.git',
    }),
    designLabel: key(label().default('agent:design'), { about: 'Label that asks for a design document.' }),
    bugfixLabel: key(label().default('agent:bugfix'), { about: 'Label that asks for a bug fix.' }),
    smallJobLabel: key(label().default('agent:small-job'), { about: 'Label that asks for a small job.' }),
    ignoreLabel: key(label().default('agent:ignore'), {
      about: 'Label that a person adds to take over. MergeXO does no work while the label is present.',
    }),
    designDocsDir: key(relativePath().default('docs/design'), { about: 'The folder for design documents.' }),
    allowedUsers: key(logins().optional(), {
      about:
        'People whose issues, comments and reviews MergeXO acts on. If an organization owns the repository, list people.',
      absent: '`[owner]`',
      example: ['octocat', 'hubot-keeper'],
    }),
    operatorLogins: key(logins().optional(), {
      about: 'People who can use operator commands such as `/mergexo unblock`.',
      absent: 'the value of `allowed_users`',
      example: ['octocat'],
    }),
    setup: key(relativePath().optional(), {
      about:
        'A program in the repository that installs what the work needs, such as dependencies. MergeXO runs it in each new checkout, before the agent and before `required_tests`. MergeXO uses the version on the default branch, and commits nothing that it creates.',
      absent: 'MergeXO runs no setup',
      example: 'scripts/setup.sh',
    }),
    requiredTests: key(relativePath().optional(), {
      about:
        'An executable file in the repository. MergeXO runs it before each push, and pushes only if it succeeds.',
      absent: 'MergeXO runs no tests',
      example: 'scripts/required-tests.sh',
    }),
    testFileRegex: key(regularExpression().optional(), {
      about:
        'A bug fix must change a file whose path matches this expression. With `required_tests`, the tests in these files must also fail without the fix.',
      absent: 'a bug fix needs no test',
      example: '(^|/)tests?/',
    }),
    codingGuidelinesPath: key(relativePath().optional(), {
      about: 'A document in the repository that every agent must follow, read from the default branch.',
      absent: 'none',
      example: 'docs/guidelines.md',
    }),
    ciPolicy: key(oneOf(['never', 'first_fail', 'all_complete']).default('all_complete'), {
      about:
        'When MergeXO sends failed checks to the agent: never, as soon as one check fails, or after all checks on the head commit have finished.',
    }),
    autoUpdate: key(flag().default(false), {
      about:
        'If true, MergeXO merges a conflicting base branch into the pull request’s branch without waiting for `/mergexo update`. It never rebases.',
    }),
    showCost: key(flag().default(false), {
      about:
        'Adds a line with the agent’s tokens, cost and time to the body of each new pull request. Everybody who can read the repository sees this line.',
    }),
    enableFeedbackLoop: key(flag().optional(), overrides('runtime', 'enable_feedback_loop', true)),
    enableIssueCommentRouting: key(
      flag().optional(),
      overrides('runtime', 'enable_issue_comment_routing', true),
    ),
    reactions: key(flag().optional(), overrides('github', 'reactions', false)),
    statusComment: key(flag().optional(), overrides('github', 'status_comment', false)),
    reviewEnabled: key(flag().optional(), overrides('review', 'enabled', true)),
    reviewVerify: key(flag().optional(), overrides('review', 'verify', false)),
    agentAdapter: key(adapterName().optional(), overrides('agent', 'adapter', 'codex')),
    agentFallback: key(adapterNames().optional(), overrides('agent', 'fallback', ['claude'])),
    agentModel: key(word().optional(), {
      about: 'Overrides the agent’s model for this repository.',
      absent: 'the value of the agent’s section',
      example: 'gpt-5.5',
    }),
  },
};
