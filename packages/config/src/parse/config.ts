import type { Labels } from '@mergexo/core/flows';
import type { DeepReadonly } from '../values/deep-freeze.js';
import type { Draft } from './read-draft.js';

export type AdapterName = Draft['agent']['adapter'];

/** An agent with the model it shall use; undefined leaves the choice to the agent. */
export type AgentChoice = { adapter: AdapterName; model: string | undefined };

/** One repository with every default and override resolved: nobody has to look at another section. */
export type RepoConfig = DeepReadonly<{
  id: string;
  owner: string;
  name: string;
  /** `owner/name`, as GitHub writes it. */
  fullName: string;
  defaultBranch: string;
  remoteUrl: string;
  labels: Labels;
  designDocsDir: string;
  allowedUsers: string[];
  operatorLogins: string[];
  requiredTests: string | undefined;
  testFileRegex: string | undefined;
  codingGuidelinesPath: string | undefined;
  ciPolicy: 'never' | 'first_fail' | 'all_complete';
  autoUpdate: boolean;
  enableFeedbackLoop: boolean;
  enableIssueCommentRouting: boolean;
  reviewEnabled: boolean;
  review: Pick<Draft['review'], 'maxFixCycles' | 'blockingSeverity' | 'maxFindings' | 'escalationLabel'>;
  agent: AgentChoice;
  reviewAgent: AgentChoice;
}>;

/**
 * The whole configuration, deeply frozen. Names are camelCase, as everywhere in the code; each is the file's key
 * without its underscores. `repos` is a list in the order of the file, because ids come from the file and make
 * poor property names.
 */
export type Config = DeepReadonly<
  Omit<Draft, 'repos' | 'limits'> & {
    limits: Draft['limits'] & { maxConcurrentImplementations: number };
    repos: RepoConfig[];
  }
>;
