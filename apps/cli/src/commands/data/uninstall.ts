import { readSettings, type Settings } from '@mergexo/config';
import { MERGEXO_CLI, UsageError } from '@mergexo/core/basics';
import type { Context } from '../../context.js';
import { findService } from '../../service/find-service.js';
import { removeService } from '../../service/remove-service.js';
import { deleteData, listData } from './delete-data.js';

export type UninstallOptions = { deleteData?: boolean; dryRun?: boolean; yes?: boolean };

/**
 * Stops and removes the service, and with --delete-data also MergeXO's files in the data directory. Lists everything
 * first, and asks. Deletes nothing else.
 */
export async function uninstall(context: Context, options: UninstallOptions): Promise<void> {
  const settings = readSettings(context);
  const service = findService(context.homeDir);
  const data = options.deleteData ? listData(settings, context.homeDir) : [];
  const paths = [...(service === undefined ? [] : [service.path]), ...data];
  const report = (removed: boolean) => ({ ok: true, removed, service: service?.path ?? null, data });
  if (options.dryRun) {
    context.print(report(false), () => describe(paths, 'MergeXO would remove'));
    return;
  }
  if (paths.length > 0 && !options.yes && !(await confirm(context, paths))) {
    context.print(report(false), () => ['Nothing was changed.']);
    return;
  }
  if (service !== undefined) await removeService(service, context.env);
  if (data.length > 0) await deleteData(settings, data);
  context.print(report(true), () => [
    ...describe(paths, 'MergeXO removed'),
    ...describeRest(settings, options),
  ]);
}

function describe(paths: readonly string[], head: string): string[] {
  if (paths.length === 0) return ['There is no service to remove.'];
  return [`${head}:`, ...paths.map((path) => `  ${path}`)];
}

async function confirm(context: Context, paths: readonly string[]): Promise<boolean> {
  if (context.confirm === undefined)
    throw new UsageError(
      'This command needs a confirmation, but there is no terminal. Add --yes to confirm. Nothing was changed.',
    );
  return context.confirm(
    [...describe(paths, 'This command will stop the service and remove'), 'Continue?'].join('\n'),
  );
}

function describeRest(
  { config, configPath }: Settings,
  { deleteData: isDeleted }: UninstallOptions,
): string[] {
  const { baseDir } = config.runtime;
  return [
    isDeleted
      ? `Files in ${baseDir} that are not MergeXO's were kept.`
      : `The data in ${baseDir} was kept. To delete it, run \`${MERGEXO_CLI} uninstall --delete-data\`.`,
    `The config ${configPath} was kept. Remove a globally installed package with \`npm uninstall -g mergexo\`.`,
  ];
}
