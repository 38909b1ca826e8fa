import type { Settings } from '@mergexo/config';
import { UsageError } from '@mergexo/core/basics';
import { ABLATIONS, type AblatedItem, isAblatedItem } from '@mergexo/core/eval';

export type EvalOptions = {
  repo?: string;
  pr?: string[];
  maxCases?: string;
  maxCostUsd?: string;
  ablate?: string;
  dir?: string;
};

export type EvalPlan = {
  repo: Settings['config']['repos'][number];
  /** The pull requests to replay; empty to choose the newest ones. */
  pulls: number[];
  maxCases: number;
  maxCostUsd: number;
  ablations: AblatedItem[];
};

const DEFAULT_MAX_CASES = 10;

/** Checks all options before anything is read from GitHub. */
export function readEvalOptions({ config }: Settings, options: EvalOptions): EvalPlan {
  const { maxCases = String(DEFAULT_MAX_CASES), maxCostUsd } = options;
  return {
    repo: chooseRepo(config.repos, options.repo),
    pulls: (options.pr ?? []).map((number) => readCount('--pr', number)),
    maxCases: readCount('--max-cases', maxCases),
    maxCostUsd: maxCostUsd === undefined ? Number.POSITIVE_INFINITY : readCost(maxCostUsd),
    ablations: readItems(options.ablate),
  };
}

function chooseRepo(repos: Settings['config']['repos'], name: string | undefined) {
  const names = repos.map(({ fullName }) => fullName).join(', ');
  const [first, ...others] = name === undefined ? repos : repos.filter(({ fullName }) => fullName === name);
  if (first === undefined) throw new UsageError(`${name} is not in the config. Use one of ${names}.`);
  if (others.length > 0)
    throw new UsageError(`The config has several repositories. Add --repo with one of ${names}.`);
  return first;
}

function readCount(option: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`${option} must be a whole number of at least 1, not ${text}.`);
}

function readCost(text: string): number {
  if (/^\d{1,9}(?:\.\d{1,4})?$/.test(text)) return Number(text);
  throw new UsageError(`--max-cost-usd must be an amount such as 5 or 2.50, not ${text}.`);
}

function readItems(list: string | undefined): AblatedItem[] {
  const names = (list ?? '').split(',').filter((name) => name !== '');
  return [...new Set(names)].map((name) => {
    if (isAblatedItem(name)) return name;
    const known = Object.keys(ABLATIONS).join(', ');
    throw new UsageError(
      `--ablate does not accept ${name}. Use one or more of ${known}, separated by commas.`,
    );
  });
}
