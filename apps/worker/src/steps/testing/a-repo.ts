import type { RepoConfig } from '@mergexo/config';

/** A repository that uses the adapter of the scripted agent. */
export function aRepo(overrides: Partial<RepoConfig> = {}): RepoConfig {
  const agent = { adapter: 'command', model: undefined, fallback: [] } as const;
  return {
    id: 'app',
    owner: 'acme',
    name: 'app',
    fullName: 'acme/app',
    defaultBranch: 'main',
    remoteUrl: 'http://127.0.0.1/acme/app.git',
    labels: {
      design: 'agent:design',
      bugfix: 'agent:bugfix',
      smallJob: 'agent:small-job',
      ignore: 'agent:ignore',
    },
    designDocsDir: 'docs/design',
    allowedUsers: ['ada'],
    operatorLogins: [],
    setup: undefined,
    requiredTests: undefined,
    testFileRegex: undefined,
    codingGuidelinesPath: undefined,
    ciPolicy: 'never',
    autoUpdate: false,
    showCost: false,
    enableFeedbackLoop: true,
    enableIssueCommentRouting: true,
    signs: { reactions: true, statusComment: true },
    reviewEnabled: false,
    review: {
      maxFixCycles: 2,
      blockingSeverity: 'high',
      maxFindings: 10,
      escalationLabel: 'agent:human-review',
      verify: true,
    },
    agent,
    reviewAgent: agent,
    ...overrides,
  };
}
