import { describeHost, Failure } from '@mergexo/core/basics';
import { buildManifest, listAppsPage, newAppPage } from '@mergexo/core/github-app';
import type { createFetch } from '@mergexo/github';
import { convertCode } from './convert-code.js';
import { createKeyDraft, findKeys } from './key-file.js';
import { serveAppPage } from './serve-app-page.js';

export type AppOrder = {
  apiUrl: string;
  /** Where the key file is created. */
  directory: string;
  /** `owner/name` of the repository. */
  repo: string;
  /** The organisation that will own the App; undefined for the person who opens the page. */
  organisation: string | undefined;
  webhookUrl: string | undefined;
  workflows: boolean;
};

/** What the program prints, one JSON object per line. */
export type AppStep =
  | { kind: 'page'; address: string }
  /** An earlier run stored this key and then stopped. */
  | { kind: 'found'; clientId: string; keyPath: string }
  | {
      kind: 'created';
      clientId: string;
      keyPath: string;
      slug: string | null;
      url: string | null;
      webhookSecret: string | null;
    };

type Tools = { fetch: ReturnType<typeof createFetch>; tell: (step: AppStep) => void };

/**
 * Creates a GitHub App from a manifest. Stores the key before anything else, so that a crash loses nothing: the next
 * run continues with the key file.
 */
export async function createApp({ fetch, tell }: Tools, order: AppOrder): Promise<void> {
  const { apiUrl, directory, repo, organisation, webhookUrl, workflows } = order;
  const { name: host, webUrl } = describeHost(apiUrl);
  const [found, ...others] = findKeys(directory, host);
  if (others.length > 0)
    throw new Failure(
      'conflict',
      `${directory} has the keys of several Apps. Remove those that you do not use.`,
    );
  if (found !== undefined) return tell({ kind: 'found', clientId: found.clientId, keyPath: found.path });
  const draft = createKeyDraft(directory, host);
  try {
    const page = await serveAppPage((redirectUrl, state) => ({
      postUrl: newAppPage(webUrl, organisation, state),
      manifest: buildManifest({
        owner: repo.split('/')[0] ?? repo,
        websiteUrl: `${webUrl}/${repo}`,
        redirectUrl,
        webhookUrl,
        workflows,
      }),
    }));
    try {
      tell({ kind: 'page', address: page.address });
      const code = await page.code;
      const { clientId, pem, details } = await convertCode({ apiUrl, fetch }, code).catch(
        (error: unknown) => {
          throw explainLostKey(error, listAppsPage(webUrl, organisation));
        },
      );
      const keyPath = draft.keep(clientId, pem);
      tell({
        kind: 'created',
        clientId,
        keyPath,
        slug: details?.slug ?? null,
        url: details?.html_url ?? null,
        webhookSecret: details?.webhook_secret ?? null,
      });
    } finally {
      await page.close();
    }
  } finally {
    draft.discard();
  }
}

function explainLostKey(error: unknown, appsPage: string): unknown {
  if (!(error instanceof Failure)) return error;
  const message = `${error.message} Delete the App at ${appsPage} and run the command again.`;
  return new Failure(error.kind, message, { cause: error });
}
