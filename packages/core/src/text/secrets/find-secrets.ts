import { hasTokenChecksum } from './has-token-checksum.js';
import { listBase64Parts, listSecretForms } from './secret-forms.js';

export type FoundSecret = {
  /** Equal for every occurrence of the same secret. Never print the id, because it may be the secret itself. */
  id: string;
  /** Describes the secret to the agent and to people. */
  what: string;
};

/** Finds secrets in the bytes of a file or a file name. */
export type FindSecrets = (content: Buffer) => readonly FoundSecret[];

/**
 * Creates a function that finds the given values in common encodings, and tokens of well-known providers. Finds a
 * given value even if spaces, line breaks or zero bytes split it.
 */
export function createFindSecrets(secrets: readonly string[]): FindSecrets {
  const known = [...new Set(secrets.map(toValue).filter(isDistinctive))].map((value) => ({
    // The id stays the same when MergeXO learns or forgets other secrets.
    id: `known ${value}`,
    needles: listNeedles(value),
  }));
  return (content) => {
    const text = content.toString('latin1');
    const compact = text.replace(BLANKS, '');
    return [
      ...known
        .filter(({ needles }) => needles.some((needle) => compact.includes(needle)))
        .map(({ id }) => ({ id, what: 'a credential of this MergeXO installation' })),
      ...findTokens(text.replaceAll('\0', '')),
    ];
  };
}

/** Returns the password of a URL, because the host is not secret. Returns other values unchanged. */
function toValue(secret: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(secret)) return secret;
  const password = URL.canParse(secret) ? new URL(secret).password : '';
  return password.replace(/(?:%[0-9a-f]{2})+/gi, (codes) =>
    Buffer.from(codes.replaceAll('%', ''), 'hex').toString(),
  );
}

/** Excludes short values and plain words, such as `production`: a push must not fail because of an ordinary word. */
function isDistinctive(value: string): boolean {
  return value.length >= 16 || (value.length >= 8 && /\d/.test(value) && /[a-z]/i.test(value));
}

const BLANKS = /[\0\t\n\v\f\r ]+/g;

function listNeedles(value: string): string[] {
  const hex = Buffer.from(value).toString('hex').toUpperCase();
  const forms = [...listSecretForms(value), hex, ...listBase64Parts(value)];
  return [...new Set(forms.map((form) => Buffer.from(form).toString('latin1').replace(BLANKS, '')))];
}

type Shape = { what: string; pattern: RegExp; isReal: (body: string) => boolean };

/** Each pattern captures the random part of a token. `isReal` rejects made-up tokens in tests and documents. */
const SHAPES: readonly Shape[] = [
  { what: 'a GitHub token', pattern: /gh[pousr]_([A-Za-z0-9]{36})/g, isReal: hasTokenChecksum },
  // A GitHub App's installation token: the app's id and a JWT. The signature has no checksum, but it is random.
  {
    what: 'a GitHub token',
    pattern: /ghs_[A-Za-z0-9]{1,40}_eyJ[\w-]{8,256}\.eyJ[\w-]{8,2048}\.([\w-]{40,1024})/g,
    isReal: isVaried,
  },
  {
    what: 'a GitHub token',
    pattern: /github_pat_([A-Za-z0-9]{22}_[A-Za-z0-9]{59})/g,
    isReal: isVaried,
  },
  { what: 'an npm token', pattern: /npm_([A-Za-z0-9]{36})/g, isReal: hasTokenChecksum },
  {
    what: 'an Anthropic key',
    pattern: /sk-ant-[a-z]{3,8}\d{2}-([\w-]{80,120})/g,
    isReal: isVaried,
  },
  // Every OpenAI key contains the base64 form of `OpenAI` in the middle.
  {
    what: 'an OpenAI key',
    pattern: /sk-([\w-]{20,90}T3BlbkFJ[\w-]{20,90})/g,
    isReal: isVaried,
  },
];

/** A random text as long as these tokens practically always has at least 20 different characters. */
function isVaried(body: string): boolean {
  return new Set(body).size >= 20;
}

function findTokens(text: string): FoundSecret[] {
  return SHAPES.flatMap(({ what, pattern, isReal }) =>
    [...text.matchAll(pattern)]
      .filter(([, body = '']) => isReal(body))
      .map(([token]) => ({ id: token, what })),
  );
}
