export function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const present = map.get(key);
  if (present !== undefined) return present;
  const value = create();
  map.set(key, value);
  return value;
}
