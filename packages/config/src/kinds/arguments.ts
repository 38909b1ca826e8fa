import { z } from 'zod';
import { isPrintable } from './basics.js';
import { kind } from './kind.js';
import { refuseOtherPrograms } from './paths.js';

const argument = () => z.string().min(1).max(1000).refine(isPrintable);

/** Rejects arguments that would override options that MergeXO sets on every turn. */
export const extraArguments = (reserved: RegExp, reservedVerbs: string) =>
  kind(
    `a list of at most 50 arguments without control characters, none of which ${reservedVerbs}`,
    z.array(argument().refine((value) => !reserved.test(value))).max(50),
  );

export const commandLine = () =>
  kind(
    'a list: a program (on PATH, absolute, or from ~/), then at most 50 arguments without control characters',
    z
      .array(argument())
      .min(1)
      .max(51)
      .superRefine(([name], context) => {
        if (name !== undefined) refuseOtherPrograms([0])(name, context);
      }),
  );

// GitHub tokens and MergeXO's own variables never reach the agent, so the agent cannot act as MergeXO.
const OURS = /^(?:MERGEXO_|GH_|GITHUB_)/i;

export const environmentNames = () =>
  kind(
    'a list of at most 50 names of environment variables, none of which starts with MERGEXO_, GITHUB_ or GH_',
    z
      .array(
        z
          .string()
          .regex(/^[A-Za-z_]\w{0,99}$/)
          .refine((name) => !OURS.test(name)),
      )
      .max(50),
  );

/** Variables that hold other secrets or settings. Their values must not be sent to a webhook as an address. */
const TAKEN =
  /^(?:GH_|GITHUB_)|^MERGEXO_(?:SECRET|WORKER_KEY|REDIS_|REVIEWER_TOKEN|DASHBOARD_PASSWORD|WEBHOOK_SECRET|CONFIG|FAILPOINT)/i;

export const secretVariable = () =>
  kind(
    'the name of an environment variable that MergeXO does not use for anything else',
    z
      .string()
      .regex(/^[A-Za-z_]\w{0,99}$/)
      .refine((name) => !TAKEN.test(name)),
  );
