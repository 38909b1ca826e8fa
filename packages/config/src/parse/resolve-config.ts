import type { AdapterName, AgentChoice, Config, RepoConfig } from './config.js';
import type { Draft, RepoDraft } from './read-draft.js';
import { readLabels } from './read-labels.js';

/** Resolves every default that depends on another key. */
export function resolveConfig(draft: Draft, homeDir: string): Config {
  const { runtime, github, codex, claude, command, limits } = draft;
  return {
    ...draft,
    runtime: { ...runtime, baseDir: expandHome(runtime.baseDir, homeDir) },
    github: { ...github, apiUrl: withoutSlash(github.apiUrl) },
    codex: { ...codex, binary: expandHome(codex.binary, homeDir) },
    claude: { ...claude, binary: expandHome(claude.binary, homeDir) },
    command: {
      ...command,
      argv: command.argv?.map((word, index) => (index === 0 ? expandHome(word, homeDir) : word)),
    },
    limits: {
      ...limits,
      maxConcurrentImplementations: limits.maxConcurrentImplementations ?? runtime.workerCount,
    },
    repos: draft.repos.map((repo) => resolveRepo(repo, draft)),
  };
}

function resolveRepo({ id, table }: RepoDraft, draft: Draft): RepoConfig {
  const { owner, name } = table;
  const allowedUsers = table.allowedUsers ?? [owner];
  const agent = chooseAgent(draft, table.agentAdapter ?? draft.agent.adapter, table.agentModel);
  const reviewer = draft.review.agent ?? agent.adapter;
  return {
    id,
    owner,
    name,
    fullName: `${owner}/${name}`,
    defaultBranch: table.defaultBranch,
    remoteUrl: table.remoteUrl ?? `${webUrlOf(draft.github.apiUrl)}/${owner}/${name}.git`,
    labels: readLabels(table),
    designDocsDir: table.designDocsDir,
    allowedUsers,
    operatorLogins: table.operatorLogins ?? [...allowedUsers],
    requiredTests: table.requiredTests,
    testFileRegex: table.testFileRegex,
    codingGuidelinesPath: table.codingGuidelinesPath,
    ciPolicy: table.ciPolicy,
    autoUpdate: table.autoUpdate,
    enableFeedbackLoop: table.enableFeedbackLoop ?? draft.runtime.enableFeedbackLoop,
    enableIssueCommentRouting: table.enableIssueCommentRouting ?? draft.runtime.enableIssueCommentRouting,
    reviewEnabled: table.reviewEnabled ?? draft.review.enabled,
    review: chooseReviewRules(draft),
    agent,
    reviewAgent: chooseAgent(
      draft,
      reviewer,
      draft.review.model ?? (reviewer === agent.adapter ? agent.model : undefined),
    ),
  };
}

function chooseReviewRules({ review }: Draft): RepoConfig['review'] {
  const { maxFixCycles, blockingSeverity, maxFindings, escalationLabel } = review;
  return { maxFixCycles, blockingSeverity, maxFindings, escalationLabel };
}

function chooseAgent(draft: Draft, adapter: AdapterName, model: string | undefined): AgentChoice {
  const section = draft[adapter];
  return { adapter, model: model ?? ('model' in section ? section.model : undefined) };
}

function expandHome(path: string, homeDir: string): string {
  return path.startsWith('~/') ? `${withoutSlash(homeDir)}${path.slice(1)}` : path;
}

function withoutSlash(path: string): string {
  return path.replace(/(?<!\/)\/+$/, '');
}

/** Turns api.github.com into github.com. GitHub Enterprise Server uses the same host for git and for the API. */
function webUrlOf(apiUrl: string): string {
  const { protocol, host } = new URL(apiUrl);
  return `${protocol}//${host.replace(/^api\./, '')}`;
}
