/** Makes a value at the first call and keeps it. A promise that rejects is forgotten, so that the next call tries again. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    if (made === undefined) {
      const box = { value: make() };
      made = box;
      if (box.value instanceof Promise)
        box.value.catch(() => {
          if (made === box) made = undefined;
        });
    }
    return made.value;
  };
}
