import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { closeMarkdown } from '../markdown/close-markdown.js';

/** What a comment of ours says about itself, so that it can be recognised even after the database is lost. */
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
] as const;
/** Nothing that could end the comment or look like another field. */
const VALUE = /^[\w.,:/@+-]{1,8192}$/;
const META_LINE = /^<!-- mergexo-meta:v1((?: [a-z]+=[\w.,:/@+-]{1,8192})+) -->$/;
const TOKEN_LINE = /^<!-- mergexo-action:([0-9a-f]{64}) -->$/;

/** Where a comment stands: the same words elsewhere prove nothing. */
export type Place = { repoId: number; thread: string };

export type SigningKeys = { current: string; older: readonly string[] };

/** The body with its two closing lines, which no reader sees: whatever the body leaves open is closed first. */
export function signBody(text: string, meta: Meta, place: Place, keys: SigningKeys): string {
  const body = closeMarkdown(text);
  const metaLine = renderMeta(meta, body);
  return `${body}\n\n${metaLine}\n<!-- mergexo-action:${computeToken(metaLine, place, keys.current)} -->`;
}

export type Proof = { meta: Meta; body: string; intact: boolean };

/** Undefined unless the two lines close the text and the token is one that only we can make, for this very place. */
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
    if (!VALUE.test(value)) throw new Error(`the meta field ${name} has a value that may not stand there`);
    return [`${name}=${value}`];
  });
  return `<!-- mergexo-meta:v1 ${[...fields, `digest=${computeDigest(body)}`].join(' ')} -->`;
}

/** GitHub may change line ends and trailing space; a body is the same if nothing else changed. */
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

/** The token that closes a text, whoever wrote it. */
export function readToken(text: string): string | undefined {
  const lines = text.trimEnd().split('\n');
  return TOKEN_LINE.exec(lines.at(-1) ?? '')?.[1];
}

/** Shaped like our two closing lines, whatever they are worth. */
export function looksSigned(text: string): boolean {
  const lines = text.replaceAll('\r\n', '\n').trimEnd().split('\n');
  return META_LINE.test(lines.at(-2) ?? '') && TOKEN_LINE.test(lines.at(-1) ?? '');
}

/** A reply in a thread on lines proves itself only there. */
export function placeOfRemark(repoId: number, remark: { thread: number; rootId: number | null }): Place {
  const { thread, rootId } = remark;
  return { repoId, thread: rootId === null ? String(thread) : `${thread}:${rootId}` };
}
