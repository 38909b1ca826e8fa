import { UsageError } from '@mergexo/core/basics';
import { MAX_REASON } from '@mergexo/core/ledger';

export function parseRepo(repo: string | null): string | null {
  if (repo === null || /^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(repo)) return repo;
  throw new UsageError(`--repo must look like owner/name, not ${JSON.stringify(repo)}.`);
}

export function parseNumber(text: string): number {
  const [, digits] = /^#?([1-9]\d{0,8})$/.exec(text) ?? [];
  if (digits !== undefined) return Number(digits);
  throw new UsageError(
    `Add the number of an issue or pull request, such as 42, not ${JSON.stringify(text)}.`,
  );
}

export function parseReason(reason: string | null): string | null {
  if (reason === null || reason.length <= MAX_REASON) return reason;
  throw new UsageError(`--reason must have at most ${MAX_REASON} characters.`);
}
