/** Like `Promise.all`, but a failure is told only when nothing is running any more: what follows may clean up. */
export async function settleAll<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return Promise.all([first, second]);
}
