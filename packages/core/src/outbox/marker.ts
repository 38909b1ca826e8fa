import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { closeMarkdown } from '../markdown/close-markdown.js';

/** Metadata in our own comments, so that MergeXO recognizes them even after a database loss. */
export type Meta = Readonly<Partial<Record<(typeof META_FIELDS)[number], string>>>;

const META_FIELDS = [
  'run',
  'turn',
  'kind',
  'target',
  'index',
  'events',
  'head',
  'cycle',
  'gate',
  'cause',
  'branch',
] as const;
/** Matches a value without characters that could end the HTML comment or look like another field. */
const VALUE = /^[\w.,:/@+-]{1,8192}$/;
const META_LINE = /^<!-- mergexo-meta:v1((?: [a-z]+=[\w.,:/@+-]{1,8192})+) -->$/;
const TOKEN_LINE = /^<!-- mergexo-action:([0-9a-f]{64}) -->$/;

/** The place of a comment. A signature copied to another place is invalid. */
export type Place = { repoId: number; thread: string };

export type SigningKeys = { current: string; older: readonly string[] };

/**
 * Closes any Markdown that the body leaves open, then appends the invisible lines with the metadata and the signature.
 */
export function signBody(
  text: string,
  { meta, place, keys }: { meta: Meta; place: Place; keys: SigningKeys },
): string {
  const body = closeMarkdown(text);
  const metaLine = renderMeta(meta, body);
  return `${body}\n\n${metaLine}\n<!-- mergexo-action:${computeToken(metaLine, place, keys.current)} -->`;
}

export type Proof = { meta: Meta; body: string; intact: boolean };

/** Verifies a post. Returns undefined unless one of our keys signed its last two lines for this place. */
export function verifyBody(text: string, place: Place, keys: SigningKeys): Proof | undefined {
  const lines = text.replaceAll('\r\n', '\n').trimEnd().split('\n');
  const metaLine = lines.at(-2) ?? '';
  const [, token] = TOKEN_LINE.exec(lines.at(-1) ?? '') ?? [];
  const [, fields] = META_LINE.exec(metaLine) ?? [];
  if (token === undefined || fields === undefined) return undefined;
  const known = [keys.current, ...keys.older].some((key) =>
    isSame(token, computeToken(metaLine, place, key)),
  );
  if (!known) return undefined;
  const pairs = fields
    .trim()
    .split(' ')
    .map((field) => field.split('=', 2));
  const { digest, ...meta }: Record<string, string> = Object.fromEntries(pairs);
  const body = lines.slice(0, -2).join('\n').trimEnd();
  return { meta, body, intact: digest === computeDigest(body) };
}

function renderMeta(meta: Meta, body: string): string {
  const fields = META_FIELDS.flatMap((name) => {
    const value = meta[name];
    if (value === undefined) return [];
    if (!VALUE.test(value)) throw new Error(`the meta field ${name} has an invalid value`);
    return [`${name}=${value}`];
  });
  return `<!-- mergexo-meta:v1 ${[...fields, `digest=${computeDigest(body)}`].join(' ')} -->`;
}

/** Computes a digest that ignores line endings and trailing space, which GitHub may change. */
function computeDigest(body: string): string {
  return createHash('sha256').update(body.replaceAll('\r\n', '\n').trimEnd()).digest('hex').slice(0, 32);
}

function computeToken(metaLine: string, { repoId, thread }: Place, key: string): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([repoId, thread, metaLine]))
    .digest('hex');
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

/** Reads the token at the end of a text without verifying it. */
export function readToken(text: string): string | undefined {
  const lines = text.trimEnd().split('\n');
  return TOKEN_LINE.exec(lines.at(-1) ?? '')?.[1];
}

/** True if the text ends like a signed text, whether or not the signature is valid. */
export function looksSigned(text: string): boolean {
  const lines = text.replaceAll('\r\n', '\n').trimEnd().split('\n');
  return META_LINE.test(lines.at(-2) ?? '') && TOKEN_LINE.test(lines.at(-1) ?? '');
}

/** Returns the place that a signature is bound to. A signed reply in a review thread is valid only in that thread. */
export function placeOfRemark(repoId: number, remark: { thread: number; rootId: number | null }): Place {
  const { thread, rootId } = remark;
  return { repoId, thread: rootId === null ? String(thread) : `${thread}:${rootId}` };
}
