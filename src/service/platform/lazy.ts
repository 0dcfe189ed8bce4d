/** Returns a function that makes a value when it is first asked for: what takes long is not done while the service starts. */
export function lazy<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
