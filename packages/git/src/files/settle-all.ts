/** Like `Promise.all`, but rejects only after both promises have settled, so that the caller can clean up. */
export async function settleAll<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return Promise.all([first, second]);
}
