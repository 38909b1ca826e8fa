import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '@mergexo/core/basics';
import { installPage } from '@mergexo/core/github-app';
import { type AppLogin, statusOf } from '@mergexo/github';

/** What the program prints, one JSON object per line. */
export type InstallationStep =
  | { kind: 'waiting'; repos: string[]; owner: string; address: string }
  | { kind: 'installed'; repo: string; slug: string };

type Waiting = {
  app: Pick<AppLogin, 'describe' | 'fetchApp'>;
  repos: readonly string[];
  tell: (step: InstallationStep) => void;
  pauseMs: number;
  limitMs: number;
  monotonicNow: () => number;
};

/** Asks GitHub until the App is installed on all repositories. Reports each change once. */
export async function awaitInstallation(waiting: Waiting): Promise<void> {
  const { app, repos, tell, pauseMs, limitMs, monotonicNow } = waiting;
  const { slug, html_url: url, owner } = await app.fetchApp();
  const deadline = monotonicNow() + limitMs;
  let missing = repos;
  let reported = -1;
  for (;;) {
    const present: string[] = [];
    for (const repo of missing) if (await isInstalled(app, repo)) present.push(repo);
    for (const repo of present) tell({ kind: 'installed', repo, slug });
    missing = missing.filter((repo) => !present.includes(repo));
    if (missing.length === 0) return;
    if (missing.length !== reported)
      tell({ kind: 'waiting', repos: [...missing], owner: owner.login, address: installPage(url) });
    reported = missing.length;
    if (monotonicNow() >= deadline)
      throw new Failure(
        'timed-out',
        `The App is still not installed on ${missing.join(', ')}. Install it, then run the command again.`,
      );
    await sleep(pauseMs);
  }
}

/** An outage says nothing about the installation, so it counts as missing for now. */
async function isInstalled(app: Waiting['app'], repo: string): Promise<boolean> {
  try {
    await app.describe(repo);
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (statusOf(error) === 404 || error.kind === 'unavailable' || error.kind === 'rate-limited')
      return false;
    throw error;
  }
}
