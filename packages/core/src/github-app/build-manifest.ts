import { APP_EVENTS, listNeeds } from './app-access.js';

/** GitHub refuses longer names. */
const MAX_NAME = 34;

export type AppPlan = {
  /** The owner of the repository, which makes the suggested name unique. */
  owner: string;
  /** The page that GitHub shows as the App's website. */
  websiteUrl: string;
  /** Where GitHub sends the browser after it created the App. */
  redirectUrl: string;
  /** Where GitHub sends webhooks; undefined for none. */
  webhookUrl: string | undefined;
  /** True to ask for the permission to push workflow files. */
  workflows: boolean;
};

/**
 * Builds the manifest from which GitHub creates the App. Asks for all events, even without a webhook, because people
 * can add events later only by hand. Without a webhook, omits `hook_attributes`, in which GitHub requires a URL.
 */
export function buildManifest({ owner, websiteUrl, redirectUrl, webhookUrl, workflows }: AppPlan) {
  return {
    name: `mergexo-${owner}`.slice(0, MAX_NAME).replace(/-$/, ''),
    url: websiteUrl,
    redirect_url: redirectUrl,
    description: 'Turns issues into reviewed pull requests.',
    public: false,
    default_permissions: Object.fromEntries(listNeeds(workflows).map(([name, { level }]) => [name, level])),
    default_events: [...APP_EVENTS],
    ...(webhookUrl !== undefined && { hook_attributes: { url: webhookUrl, active: true } }),
  };
}
