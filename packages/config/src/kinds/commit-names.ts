import { z } from 'zod';
import { kind } from './kind.js';

export const commitName = () =>
  kind(
    'a name of 1 to 100 characters without < and >, and without spaces at either end',
    z.string().regex(/^[^\s<>\p{Cc}](?:[^<>\p{Cc}]{0,98}[^\s<>\p{Cc}])?$/u),
  );

export const commitEmail = () =>
  kind(
    'an e-mail address of at most 200 characters',
    z
      .string()
      .max(200)
      .regex(/^[^\s<>@\p{C}]+@[^\s<>@\p{C}]+$/u),
  );
