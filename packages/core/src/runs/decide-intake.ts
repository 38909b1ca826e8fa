import { chooseFlow } from '../flows/choose-flow.js';
import { FLOW_TRAITS, type Flow, type Labels } from '../flows/flow.js';
import { type Distrust, renderSkipReason } from '../reasons/skip-reason.js';
import { hasLabel } from '../text/has-label.js';
import { type Account, isBot } from './account.js';
import { RUN_STATUS_NAMES, type RunStatus } from './run.js';

export type IntakeRules = {
  labels: Labels;
  allowedUsers: readonly string[];
};

export type IssueFacts = {
  number: number;
  open: boolean;
  isPullRequest: boolean;
  author: Account;
  labels: readonly string[];
};

export type EarlierRun = { flow: Flow; live: boolean; status: RunStatus };

/** `author`: MergeXO could start if the author were added to `allowed_users`. */
export type SkipCause = 'author' | 'other';

/** `none`: there is no new request, so there is nothing to explain. */
export type Intake =
  | { kind: 'start'; flow: Flow }
  | { kind: 'skip'; flow: Flow; reason: string; cause: SkipCause }
  | { kind: 'none' };

/** Decides whether a label or command on an issue starts a run. The `explain` command prints the reason for a skip. */
export function decideIntake(
  issue: IssueFacts,
  asked: { rules: IntakeRules; command: Flow | undefined; earlier: readonly EarlierRun[] },
): Intake {
  const { rules, command, earlier } = asked;
  if (issue.isPullRequest) return { kind: 'none' };
  const flow = command ?? chooseFlow(issue.labels, rules.labels);
  if (flow === undefined) return { kind: 'none' };
  const skip = (reason: string, cause: SkipCause = 'other'): Intake => ({
    kind: 'skip',
    flow,
    reason,
    cause,
  });

  if (hasLabel(issue.labels, rules.labels.ignore))
    return skip(`the label ${rules.labels.ignore} reserves the issue for people`);
  if (!issue.open) return skip('the issue is closed');
  const distrust = findDistrust(issue.author, rules.allowedUsers);
  if (distrust !== undefined)
    return skip(`the issue's author ${renderSkipReason(distrust)}`, isBot(issue.author) ? 'other' : 'author');
  const live = earlier.find((run) => run.live);
  // The issue still has the label that started the live run, so there is no new request.
  if (live?.flow === flow && command === undefined) return { kind: 'none' };
  if (live !== undefined) return skip(`this issue already has a run (${describeRun(live)})`);
  const same = earlier.find((run) => run.flow === flow);
  if (same !== undefined && command === undefined)
    return skip(`this issue already had a run of the same type (${describeRun(same)})`);
  return { kind: 'start', flow };
}

function describeRun({ flow, status }: EarlierRun): string {
  return `${FLOW_TRAITS[flow].name}: ${RUN_STATUS_NAMES[status]}`;
}

/** Returns why MergeXO ignores an account; undefined if the account is allowed. */
export function findDistrust(account: Account, allowedUsers: readonly string[]): Distrust | undefined {
  const { login } = account;
  if (isBot(account)) return { code: 'bot', login };
  const isAllowed = allowedUsers.some((name) => name.toLowerCase() === login.toLowerCase());
  return isAllowed ? undefined : { code: 'not_allowed', login };
}
