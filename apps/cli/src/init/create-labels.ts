import type { RepoConfig } from '@mergexo/config';
import { Failure, MERGEXO_CLI } from '@mergexo/core/basics';
import { listFlowLabels } from '@mergexo/core/flows';
import { askPoller } from '../ask-poller.js';
import type { Context } from '../context.js';
import type { InitOptions } from './init-options.js';
import type { InstalledFile, Result } from './installed-file.js';

export function describeLabels({ fullName, labels, review, reviewEnabled }: RepoConfig): string {
  const flowLabels = listFlowLabels(labels).map(({ name }) => name);
  const names = [...flowLabels, labels.ignore, ...(reviewEnabled ? [review.escalationLabel] : [])];
  return `Would create missing labels in ${fullName}: ${names.join(', ')}`;
}

type Files = { files: readonly InstalledFile[]; configPath: string };

/** Creates labels on GitHub only if the user asked for them. An error lists the files that `init` has already written. */
export async function createLabels(
  context: Context,
  written: Files,
  { labels }: InitOptions,
): Promise<{ files: InstalledFile[]; notes: string[] }> {
  const none = { files: [], notes: [] };
  if (labels === false) return none;
  const wanted = labels ?? (await context.confirm?.('Create the labels on GitHub now?'));
  if (wanted === undefined)
    return {
      files: [],
      notes: [`To create the labels on GitHub, run \`${MERGEXO_CLI} init --labels\`.`, ''],
    };
  if (!wanted) return none;
  type CreatedLabel = { repo: string; label: string; done: Result };
  const request = { configPath: written.configPath, env: context.env };
  try {
    const { labels: created } = await askPoller<{ labels: CreatedLabel[] }>('create-labels', request);
    const files = created.map(({ repo, label, done: result }) => {
      return { name: 'label', path: `${repo} ${label}`, result };
    });
    return { files, notes: [] };
  } catch (error) {
    throw addFiles(error, written);
  }
}

function addFiles(error: unknown, { files, configPath }: Files): unknown {
  if (!(error instanceof Failure)) return error;
  const written = files.map(({ name, path, result }) => `${result} ${name} ${path}`).join(', ');
  const message = `${error.message}\nEverything else is done: ${written}. Fix the problem, then run \`${MERGEXO_CLI} init --config ${configPath} --labels\`.`;
  return new Failure(error.kind, message, { cause: error });
}
