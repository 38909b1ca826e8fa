import { describeHost } from '@mergexo/core/basics';
import type { AdapterName, AgentChain, AgentChoice, Config, RepoConfig } from './config.js';
import type { Draft, RepoDraft } from './read-draft.js';
import { readLabels } from './read-labels.js';

/** Resolves every default that depends on another key. */
export function resolveConfig(
  draft: Draft,
  { homeDir, dataDirectory }: { homeDir: string; dataDirectory: string },
): Config {
  const { runtime, github, codex, claude, command, limits } = draft;
  return {
    ...draft,
    runtime: { ...runtime, baseDir: expandHome(runtime.baseDir ?? dataDirectory, homeDir) },
    github: { ...github, apiUrl: withoutSlash(github.apiUrl), app: resolveApp(github.app, homeDir) },
    review: { ...draft.review, app: resolveApp(draft.review.app, homeDir) },
    codex: { ...codex, binary: expandHome(codex.binary, homeDir) },
    claude: { ...claude, binary: expandHome(claude.binary, homeDir) },
    command: { ...command, argv: expandProgram(command.argv, homeDir) },
    notify: { ...draft.notify, command: expandProgram(draft.notify.command, homeDir) },
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
  const fallback = table.agentFallback ?? draft.agent.fallback;
  const reviewer = draft.review.agent ?? agent.adapter;
  const reviewAgent = chooseAgent(
    draft,
    reviewer,
    draft.review.model ?? (reviewer === agent.adapter ? agent.model : undefined),
  );
  return {
    id,
    owner,
    name,
    fullName: `${owner}/${name}`,
    defaultBranch: table.defaultBranch,
    remoteUrl: table.remoteUrl ?? `${describeHost(draft.github.apiUrl).webUrl}/${owner}/${name}.git`,
    labels: readLabels(table),
    designDocsDir: table.designDocsDir,
    allowedUsers,
    operatorLogins: table.operatorLogins ?? [...allowedUsers],
    setup: table.setup,
    requiredTests: table.requiredTests,
    testFileRegex: table.testFileRegex,
    codingGuidelinesPath: table.codingGuidelinesPath,
    ciPolicy: table.ciPolicy,
    autoUpdate: table.autoUpdate,
    showCost: table.showCost,
    enableFeedbackLoop: table.enableFeedbackLoop ?? draft.runtime.enableFeedbackLoop,
    enableIssueCommentRouting: table.enableIssueCommentRouting ?? draft.runtime.enableIssueCommentRouting,
    signs: {
      reactions: table.reactions ?? draft.github.reactions,
      statusComment: table.statusComment ?? draft.github.statusComment,
    },
    reviewEnabled: table.reviewEnabled ?? draft.review.enabled,
    review: chooseReviewRules(draft, table),
    agent: chain(draft, agent, fallback),
    reviewAgent: chain(draft, reviewAgent, draft.review.fallback ?? fallback),
  };
}

function chooseReviewRules({ review }: Draft, { reviewVerify }: RepoDraft['table']): RepoConfig['review'] {
  const { maxFixCycles, blockingSeverity, maxFindings, escalationLabel, verify } = review;
  return { maxFixCycles, blockingSeverity, maxFindings, escalationLabel, verify: reviewVerify ?? verify };
}

function chooseAgent(draft: Draft, adapter: AdapterName, model: string | undefined): AgentChoice {
  const section = draft[adapter];
  return { adapter, model: model ?? ('model' in section ? section.model : undefined) };
}

/** Drops the agent itself from its fallbacks: a repository may inherit a list that names its own agent. */
function chain(draft: Draft, agent: AgentChoice, fallback: readonly AdapterName[]): AgentChain {
  const others = fallback.filter((adapter) => adapter !== agent.adapter);
  return { ...agent, fallback: others.map((adapter) => chooseAgent(draft, adapter, undefined)) };
}

type KeyPaths = { privateKeyPath: string; secondPrivateKeyPath?: string | undefined };

function resolveApp<App extends KeyPaths>(app: App | undefined, homeDir: string): App | undefined {
  if (app === undefined) return undefined;
  const { privateKeyPath, secondPrivateKeyPath: second } = app;
  return {
    ...app,
    privateKeyPath: expandHome(privateKeyPath, homeDir),
    secondPrivateKeyPath: second && expandHome(second, homeDir),
  };
}

/** Expands the program, but not its arguments. */
function expandProgram(argv: readonly string[] | undefined, homeDir: string): string[] | undefined {
  return argv?.map((word, index) => (index === 0 ? expandHome(word, homeDir) : word));
}

function expandHome(path: string, homeDir: string): string {
  return path.startsWith('~/') ? `${withoutSlash(homeDir)}${path.slice(1)}` : path;
}

function withoutSlash(path: string): string {
  return path.replace(/(?<!\/)\/+$/, '');
}
