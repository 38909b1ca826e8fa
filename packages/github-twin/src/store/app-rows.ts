import type { Born, Grants } from './rows.js';

/** A GitHub App. Its bot is a user with another id. */
export type App = Born & {
  slug: string;
  name: string;
  clientId: string;
  ownerId: number;
  botId: number;
  permissions: Grants;
  events: string[];
};

/** A private key of an App, in PEM. GitHub keeps only the public half. */
export type AppKey = { id: number; appId: number; pem: string };

/** The address to which GitHub sends the events of an App. */
export type AppHook = { id: number; appId: number; url: string; secret: string };

export type Installation = Born & {
  appId: number;
  accountId: number;
  /** Null means all repositories of the account, including later ones. */
  repoIds: number[] | null;
  /** What the account's owner accepted. An App never has more than it also asks for now. */
  permissions: Grants;
  suspendedAt: string | null;
};
