import type { Vector } from "./knowledge-base.js";

/** Returns the dot product: the cosine of two vectors of length 1. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}

/** Returns the vector at length 1; the zero vector stays. */
export function normalized(vector: Vector): Float32Array {
  const floats = Float32Array.from(vector);
  const length = Math.sqrt(dot(floats, floats));
  return length > 0 ? floats.map((value) => value / length) : floats;
}
