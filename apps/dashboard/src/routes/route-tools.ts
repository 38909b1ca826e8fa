import type { Express } from 'express';
import type { Reader } from '../create-reader.js';
import type { Links } from '../pages/links.js';

/** What the pages need to read facts and to render links. */
export type RouteTools = { app: Express; reader: Reader; links: Links };
