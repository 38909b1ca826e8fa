import { askPoller } from '../ask-poller.js';
import type { Context } from '../context.js';

export type MadeLabel = { repo: string; label: string; done: 'created' | 'kept' };

/** Part of the poller, because only that may write to GitHub. */
export async function createLabels(configPath: string, { env }: Pick<Context, 'env'>): Promise<MadeLabel[]> {
  const { labels }: { labels: MadeLabel[] } = JSON.parse(
    await askPoller('bin/create-labels', configPath, env),
  );
  return labels;
}
