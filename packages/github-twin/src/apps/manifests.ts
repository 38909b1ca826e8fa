import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { ApiError, notFound } from '../basics/api-error.js';
import { findUser } from '../domain/users.js';
import type { App } from '../store/app-rows.js';
import { Grants, type User } from '../store/rows.js';
import type { World } from '../world/world.js';
import { addKey, botLoginOf, createApp, findApp } from './create-app.js';

const Manifest = z.strictObject({
  name: z.string().min(1).max(34),
  url: z.url(),
  redirect_url: z.url({ protocol: /^https?$/ }),
  hook_attributes: z.object({ url: z.url(), active: z.boolean().optional() }).optional(),
  setup_url: z.url().optional(),
  callback_urls: z.array(z.url()).optional(),
  description: z.string().optional(),
  public: z.boolean().optional(),
  default_events: z.array(z.string()).default([]),
  default_permissions: Grants.default({}),
});
export type Manifest = z.infer<typeof Manifest>;

/** Who may exchange which code, and until when. The codes are lost when the twin stops. */
type Offer = { appId: number; webhookSecret: string | null; untilMs: number };
const offers = new WeakMap<World, Map<string, Offer>>();
const HOUR_MS = 3_600_000;

export function parseManifest(text: string): Manifest {
  const parsed = Manifest.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new ApiError(422, `Invalid GitHub App configuration.\n\n${z.prettifyError(parsed.error)}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Registers the App for a person or for an organisation. Returns a code that can be exchanged once for the App's key.
 */
export function registerFromManifest(world: World, manifest: Manifest, owner: User): string {
  const slug = manifest.name
    .toLowerCase()
    .split(/[^a-z\d]/)
    .filter(Boolean)
    .join('-');
  if (findApp(world, slug) || findUser(world, botLoginOf(slug)))
    throw new ApiError(422, 'Name has already been taken');
  const { name, default_permissions: permissions, default_events: events, hook_attributes: hook } = manifest;
  const app = createApp(world, { slug, name, owner, permissions, events });
  const code = randomBytes(20).toString('hex');
  const webhookSecret = hook ? randomBytes(20).toString('hex') : null;
  const open = offers.get(world) ?? new Map<string, Offer>();
  offers.set(world, open);
  open.set(code, { appId: app.id, webhookSecret, untilMs: world.clock.now() + HOUR_MS });
  return code;
}

/** Exchanges a code for the App and its first key. Throws 404 for an unknown, used or expired code. */
export function redeem(world: World, code: string): { app: App; pem: string; webhookSecret: string | null } {
  const offer = offers.get(world)?.get(code);
  const app = offer && world.store.apps.get(offer.appId);
  if (!offer || !app || offer.untilMs <= world.clock.now()) throw notFound();
  offers.get(world)?.delete(code);
  return { app, pem: addKey(world, app).pem, webhookSecret: offer.webhookSecret };
}
