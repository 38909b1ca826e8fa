import type { Flow, Labels } from '../flows/flow.js';
import { chooseFlow } from '../flows/flow-labels.js';
import { hasLabel } from '../text/has-label.js';

export type Account = { id: number; login: string; type: string };

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

export type EarlierRun = { flow: Flow; live: boolean; status: string };

/** `author`: the author could be added to `allowed_users`. */
export type SkipCause = 'author' | 'other';

/** `none`: nobody asked for anything, so there is nothing to explain. */
export type Intake =
  | { kind: 'start'; flow: Flow }
  | { kind: 'skip'; flow: Flow; reason: string; cause: SkipCause }
  | { kind: 'none' };

/** One gate for every way of asking. A skip carries the reason that `explain` shows. */
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
    return skip(`the label ${rules.labels.ignore} keeps it for people`);
  if (!issue.open) return skip('the issue is closed');
  const distrust = explainDistrust(issue.author, rules.allowedUsers);
  if (distrust !== undefined) return skip(`its author ${distrust}`, isBot(issue.author) ? 'other' : 'author');
  const live = earlier.find((run) => run.live);
  // The label that started it is simply still there.
  if (live?.flow === flow && command === undefined) return { kind: 'none' };
  if (live !== undefined) return skip(`a ${live.flow} run of it is ${live.status}`);
  const same = earlier.find((run) => run.flow === flow);
  if (same !== undefined && command === undefined) return skip(`its ${flow} run ended ${same.status}`);
  return { kind: 'start', flow };
}

/** Why an account's words do not count; undefined when they do. */
export function explainDistrust(account: Account, allowedUsers: readonly string[]): string | undefined {
  if (isBot(account)) return `${account.login} is a bot`;
  const allowed = allowedUsers.some((login) => login.toLowerCase() === account.login.toLowerCase());
  return allowed ? undefined : `${account.login} is not in allowed_users`;
}

export function isBot({ login, type }: Account): boolean {
  return type === 'Bot' || login.endsWith('[bot]');
}
