import { setTimeout as sleep } from 'node:timers/promises';
import type { Narrator } from './narrator.js';
import { REPO, type Stage } from './stage.js';

export type Row = {
  number: number;
  id: number;
  body: string;
  title: string;
  html_url: string;
  head: { ref: string };
};

export type Scene = ReturnType<typeof createScene>;

/** Reads GitHub as the visitor and waits for the changes that the story expects. */
export function createScene(stage: Stage, narrator: Narrator) {
  const list = async (path: string): Promise<Row[]> => {
    const rows = await stage.you.request('GET', `/repos/${REPO}/${path}`);
    return Array.isArray(rows) ? rows : [];
  };
  const until = <T>(what: string, look: () => Promise<T | undefined>): Promise<T> =>
    narrator.wait(what, async () => {
      const deadline = performance.now() + stage.stepTimeoutMs;
      for (;;) {
        const found = await look();
        if (found !== undefined) return found;
        if (performance.now() > deadline)
          throw new Error(
            `Timed out after ${stage.stepTimeoutMs / 1_000} s waiting for ${what}. On a slow machine, try --step-timeout 300.`,
          );
        await sleep(100);
      }
    });
  return {
    list,
    until,
    pullOf: (issue: number): Promise<Row> =>
      until(`a pull request for issue #${issue}`, async () =>
        (await list('pulls?state=all')).find(({ head }) => head.ref.includes(`/${issue}-`)),
      ),
    /** Finds the pull request by its branch prefix, because one issue can have several pull requests. */
    pullOn: (prefix: string): Promise<Row> =>
      until(`a pull request on ${prefix}`, async () =>
        (await list('pulls?state=all')).find(({ head }) => head.ref.startsWith(prefix)),
      ),
    untilCommented: (number: number, text: string): Promise<Row> =>
      until(`a comment on #${number}`, async () =>
        (await list(`issues/${number}/comments`)).find(({ body }) => body.includes(text)),
      ),
    /** Waits for a review with this verdict from the AI reviewer. */
    reviewed: (pr: number, verdict: 'approved' | 'changes_requested'): Promise<Row> =>
      until(`a review of #${pr}`, async () =>
        (await list(`pulls/${pr}/reviews`)).find(({ body }) => body.includes(`REVIEW_RESULT: ${verdict}`)),
      ),
    answered: (pr: number, count: number): Promise<true> =>
      until(`${count === 1 ? '1 reply' : `${count} replies`} on #${pr}`, async () => {
        const posted = [...(await list(`issues/${pr}/comments`)), ...(await list(`pulls/${pr}/comments`))];
        return posted.filter(({ body }) => body.includes('mergexo-action')).length >= count
          ? true
          : undefined;
      }),
  };
}
