import { z } from 'zod';
import { Grants, Permission } from '../store/rows.js';

const SeedUser = z.strictObject({
  login: z.string().regex(/^[A-Za-z\d][A-Za-z\d-]*(?:\[bot\])?$/),
  name: z.string().optional(),
  email: z.email().optional(),
  /** Defaults to `Bot` for logins that end in `[bot]`. */
  type: z.enum(['User', 'Bot', 'Organization']).optional(),
  /** Defaults to a random token. */
  token: z.string().optional(),
  scopes: z.array(z.string()).default(['repo', 'workflow', 'read:org']),
});

const SeedLabel = z.union([
  z.string().transform((name) => ({ name })),
  z.strictObject({
    name: z.string(),
    color: z.string().optional(),
    description: z.string().nullish(),
  }),
]);

const SeedIssue = z.strictObject({
  title: z.string(),
  body: z.string().optional(),
  /** Defaults to the repository's owner. */
  by: z.string().optional(),
  labels: z.array(z.string()).default([]),
});

const SeedRepo = z.strictObject({
  name: z.string().regex(/^[\w.-]+\/[\w.-]+$/, 'a repository is named "owner/name"'),
  description: z.string().nullable().default(null),
  private: z.boolean().default(true),
  defaultBranch: z.string().default('main'),
  /** Branches that only pull requests can change. */
  protectedBranches: z.array(z.string()).default([]),
  permissions: z.record(z.string(), Permission).default({}),
  /** Files of the first commit. Without files, the repository is empty. */
  files: z.record(z.string(), z.string()).default({}),
  labels: z.array(SeedLabel).default([]),
  issues: z.array(SeedIssue).default([]),
});

const SeedApp = z.strictObject({
  /** The App's bot is the user `slug[bot]`. */
  slug: z.string().regex(/^[a-z\d](?:[a-z\d-]{0,32}[a-z\d])?$/),
  /** Defaults to the slug. */
  name: z.string().optional(),
  /** The account that registered the App. */
  owner: z.string(),
  permissions: Grants.default({}),
  events: z.array(z.string()).default([]),
  /** Private keys in PEM. Without keys, the twin generates one. */
  keys: z.array(z.string()).default([]),
  installations: z
    .array(
      z.strictObject({
        account: z.string(),
        /** Full names. Without a list, the installation covers all repositories of the account. */
        repositories: z.array(z.string()).optional(),
      }),
    )
    .default([]),
});
export type SeedApp = z.infer<typeof SeedApp>;

/** The users, repositories and Apps that a twin starts with. */
export const Seed = z.strictObject({
  users: z.array(SeedUser),
  repos: z.array(SeedRepo).default([]),
  apps: z.array(SeedApp).default([]),
});
export type Seed = z.infer<typeof Seed>;
export type SeedInput = z.input<typeof Seed>;

export function parseSeed(input: unknown): Seed {
  const parsed = Seed.safeParse(input);
  if (!parsed.success) throw new Error(`The seed has problems:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** An example: an organization, two people, a bot, and one small repository. */
export const EXAMPLE_SEED: SeedInput = {
  users: [
    { login: 'acme', type: 'Organization' },
    { login: 'alice' },
    { login: 'bob' },
    { login: 'mergexo[bot]' },
  ],
  repos: [
    {
      name: 'acme/app',
      permissions: { alice: 'admin', bob: 'write', 'mergexo[bot]': 'write' },
      files: {
        'README.md': '# app\n\nA small example.\n',
        'src/greet.js': "export const greet = (name) => 'Hello ' + name;\n",
      },
      labels: ['agent:design', 'agent:bugfix', 'agent:small-job', 'agent:ignore'],
      issues: [{ title: 'Greet politely', body: 'The greeting needs a comma.', by: 'alice' }],
    },
  ],
};
