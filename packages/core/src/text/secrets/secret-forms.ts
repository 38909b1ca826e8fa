/** Lists the forms in which programs commonly write a secret: verbatim, and in JSON, URLs, base64 and hexadecimal. */
export function listSecretForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString('base64'),
    bytes.toString('base64').replace(/={1,2}$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}

/** Lists the parts that base64 text contains if the secret is anywhere inside the encoded bytes, as in `user:secret`. */
export function listBase64Parts(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const text = whole.toString('base64').replace(/={1,2}$/, '');
    // The outer characters also encode bits of the neighboring bytes.
    const start = before === 0 ? 0 : before + 1;
    const part = text.slice(start, whole.length % 3 === 0 ? text.length : -1);
    return [part, part.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
