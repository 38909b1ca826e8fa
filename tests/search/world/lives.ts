import { AsyncLocalStorage } from 'node:async_hooks';

/** One process between its start and its end. Nothing of an ended process runs, not even a `finally` block. */
export type Life = { name: string; isAlive: boolean };

const lives = new AsyncLocalStorage<Life>();

export function startLife(name: string): Life {
  return { name, isAlive: true };
}

/** Runs the code as part of this process. Everything that it starts belongs to the process too. */
export function runIn<T>(life: Life, work: () => T): T {
  return lives.run(life, work);
}

export function currentLife(): Life | undefined {
  return lives.getStore();
}

/** Thrown into code that runs at the moment in which its process ends. */
export class Crash extends Error {}

/** Settles like the promise, but never after the end of the process. */
export function within<T>(life: Life | undefined, promise: Promise<T>): Promise<T> {
  if (life === undefined) return promise;
  return new Promise((resolve, reject) => {
    promise.then(
      (value) => life.isAlive && resolve(value),
      (error) => life.isAlive && reject(error),
    );
  });
}

/** Returns an object whose functions throw once the process has ended. `before` runs ahead of each call. */
export function guard<T extends object>(target: T, life: Life, before: (name: string) => void = () => {}): T {
  const guarded = new Map<PropertyKey, unknown>();
  return new Proxy(target, {
    get(_target, key) {
      const known = guarded.get(key);
      if (known !== undefined) return known;
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      const wrapped = (...args: unknown[]): unknown => {
        if (!life.isAlive) throw new Crash(`${life.name} has ended`);
        before(String(key));
        return Reflect.apply(value, target, args);
      };
      guarded.set(key, wrapped);
      return wrapped;
    },
  });
}
