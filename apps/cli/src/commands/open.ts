import { readSettings, type Settings } from '@mergexo/config';
import { MERGEXO_CLI, UsageError } from '@mergexo/core/basics';
import { dashboardUrlOf, isMergexoDashboard } from '../checks/check-dashboard.js';
import type { Context } from '../context.js';
import { OPENER, openInBrowser } from '../open-in-browser.js';

export type OpenOptions = { repo?: string };

/** Opens the dashboard, or its page for an issue or pull request, in the browser. Always prints the address. */
export async function open(
  context: Context,
  number: string | undefined,
  options: OpenOptions,
): Promise<boolean> {
  if (number !== undefined && !/^[1-9]\d{0,9}$/.test(number))
    throw new UsageError(
      `Expected the number of an issue or pull request, such as 7, not ${JSON.stringify(number)}.`,
    );
  const settings = readSettings(context);
  const { host, port } = settings.config.dashboard;
  const url = `${dashboardUrlOf(host, port)}${choosePath(settings, number, options)}`;
  const running = await isMergexoDashboard(host, port);
  const opened = running && (await openInBrowser(url, settings.childEnv));
  context.print({ ok: running, url, opened }, () =>
    running
      ? [url, ...(opened ? [] : [`No browser could be started with ${OPENER}. Open the address yourself.`])]
      : [`The dashboard is not running at ${url}.`, `  → Start MergeXO with \`${MERGEXO_CLI} up\`.`],
  );
  return running;
}

function choosePath({ config }: Settings, number: string | undefined, { repo }: OpenOptions): string {
  if (number === undefined) return '/';
  const names = config.repos.map(({ fullName }) => fullName);
  const name =
    repo === undefined ? names[0] : names.find((known) => known.toLowerCase() === repo.toLowerCase());
  if (name === undefined) throw new UsageError(`--repo must be one of ${names.join(', ')}.`);
  if (repo === undefined && names.length > 1)
    throw new UsageError(
      `The config has several repositories. Add --repo <owner/name>: ${names.join(', ')}.`,
    );
  return `/issues/${name}/${number}`;
}
