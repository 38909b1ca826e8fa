import type { Labels } from '@mergexo/core/flows';
import type { DeepReadonly } from '../values/deep-freeze.js';
import type { Draft } from './read-draft.js';

export type AdapterName = Draft['agent']['adapter'];

/** If `model` is undefined, the agent uses its own default model. */
export type AgentChoice = { adapter: AdapterName; model: string | undefined };

/** An agent, and the agents that take over, in order, while it has reached its usage limit. */
export type AgentChain = AgentChoice & { fallback: AgentChoice[] };

/** One repository with every default and override resolved. */
export type RepoConfig = DeepReadonly<{
  id: string;
  owner: string;
  name: string;
  /** The repository's name on GitHub: `owner/name`. */
  fullName: string;
  defaultBranch: string;
  remoteUrl: string;
  labels: Labels;
  designDocsDir: string;
  allowedUsers: string[];
  operatorLogins: string[];
  setup: string | undefined;
  requiredTests: string | undefined;
  testFileRegex: string | undefined;
  codingGuidelinesPath: string | undefined;
  ciPolicy: 'never' | 'first_fail' | 'all_complete';
  autoUpdate: boolean;
  showCost: boolean;
  enableFeedbackLoop: boolean;
  enableIssueCommentRouting: boolean;
  signs: { reactions: boolean; statusComment: boolean };
  reviewEnabled: boolean;
  review: Pick<
    Draft['review'],
    'maxFixCycles' | 'blockingSeverity' | 'maxFindings' | 'escalationLabel' | 'verify'
  >;
  agent: AgentChain;
  reviewAgent: AgentChain;
}>;

/**
 * The whole config, deeply frozen. Property names are the camelCase form of the file's keys. `repos` is a list in file
 * order, because ids chosen by users would make unsafe property names.
 */
export type Config = DeepReadonly<
  Omit<Draft, 'repos' | 'limits' | 'runtime'> & {
    runtime: Draft['runtime'] & { baseDir: string };
    limits: Draft['limits'] & { maxConcurrentImplementations: number };
    repos: RepoConfig[];
  }
>;
