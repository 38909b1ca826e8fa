import { findApiUrl, UsageError } from '@mergexo/core/basics';
import type { InitOptions } from '../init-options.js';

const ORGANISATION = /^[A-Za-z\d][A-Za-z\d-]{0,38}$/;

/** Replaces `--host` with the address of its API, and rejects options that do not fit together. */
export function resolveOptions(options: InitOptions): InitOptions {
  const { app = false, host, apiUrl, compose, org, webhookUrl, workflows } = options;
  const reject = (reason: string): never => {
    throw new UsageError(`${reason} Nothing was written.`);
  };
  if (host !== undefined && apiUrl !== undefined) reject('Give either --host or --api-url, not both.');
  const found = host === undefined ? apiUrl : findApiUrl(host);
  if (host !== undefined && found === undefined)
    reject(`--host must be a host name such as github.acme.example, not ${JSON.stringify(host)}.`);
  if (!app && (org !== undefined || webhookUrl !== undefined || workflows))
    reject('--org, --webhook-url and --workflows belong to --app.');
  if (app && compose)
    reject('--app does not work with --compose. Create the App without --compose, and mount its key file.');
  if (org !== undefined && !ORGANISATION.test(org))
    reject(`--org must be the login of an organisation, not ${JSON.stringify(org)}.`);
  if (webhookUrl !== undefined && !(URL.canParse(webhookUrl) && webhookUrl.startsWith('https://')))
    reject(`--webhook-url must be an https:// URL, not ${JSON.stringify(webhookUrl)}.`);
  return { ...options, ...(found !== undefined && { apiUrl: found }) };
}
