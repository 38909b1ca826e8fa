import { z } from 'zod';
import { kind } from './kind.js';

export const clientId = () =>
  kind(
    "the App's client id (`Iv…`) or its App id, 1 to 60 letters, digits, dots, hyphens and underscores",
    z.string().regex(/^[\w.-]{1,60}$/),
  );
