import type { Redact } from '@mergexo/core/text';
import type { Express } from 'express';
import type { Reader } from '../create-reader.js';
import type { Links } from '../pages/links.js';

/** What the pages need to read facts and to render links. */
export type RouteTools = { app: Express; reader: Reader; links: Links; redact: Redact };
