/** Writes ONNX files: just enough of the format (a Protocol Buffers message, onnx.proto3) for graphs of a few nodes. */

type Field = [number: number, value: number | string | Uint8Array];

function varint(value: number): number[] {
  const bytes: number[] = [];
  // Negative numbers are ten bytes of two's complement.
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest > 0n ? low | 0x80 : low);
  } while (rest > 0n);
  return bytes;
}

function message(...fields: readonly Field[]): Uint8Array {
  const parts = fields.map(([number, value]) => {
    if (typeof value === "number") return Buffer.from([...varint(number << 3), ...varint(value)]);
    const bytes = Buffer.from(value);
    return Buffer.concat([
      Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]),
      bytes,
    ]);
  });
  return Buffer.concat(parts);
}

const FLOAT = 1;
const INT64 = 7;

/** A constant of the graph. */
export function floats(
  name: string,
  dims: readonly number[],
  values: readonly number[],
): Uint8Array {
  return message(
    ...dims.map((dim): Field => [1, dim]),
    [2, FLOAT],
    [8, name],
    [9, new Uint8Array(Float32Array.from(values).buffer)],
  );
}

export function integers(name: string, values: readonly number[]): Uint8Array {
  return message(
    [1, values.length],
    [2, INT64],
    [8, name],
    [9, new Uint8Array(BigInt64Array.from(values.map(BigInt)).buffer)],
  );
}

export function node(
  operation: string,
  inputs: readonly string[],
  output: string,
  attributes: Record<string, number> = {},
): Uint8Array {
  const INT_ATTRIBUTE = 2;
  return message(
    ...inputs.map((input): Field => [1, input]),
    [2, output],
    [3, output],
    [4, operation],
    ...Object.entries(attributes).map(([name, value]): Field => [
      5,
      message([1, name], [3, value], [20, INT_ATTRIBUTE]),
    ]),
  );
}

/** Named dimensions are free. */
function tensor(name: string, type: number, dims: readonly (string | number)[]): Uint8Array {
  const shape = message(
    ...dims.map((dim): Field => [1, message(typeof dim === "number" ? [1, dim] : [2, dim])]),
  );
  return message([1, name], [2, message([1, message([1, type], [2, shape])])]);
}

export interface Graph {
  nodes: readonly Uint8Array[];
  constants: readonly Uint8Array[];
  inputs: readonly string[];
  output: { name: string; dims: readonly (string | number)[] };
}

/** The bytes of a model whose inputs are batches of token ids. */
export function onnxModel({ nodes, constants, inputs, output }: Graph): Uint8Array {
  const graph = message(
    ...nodes.map((bytes): Field => [1, bytes]),
    [2, "graph"],
    ...constants.map((bytes): Field => [5, bytes]),
    ...inputs.map((name): Field => [11, tensor(name, INT64, ["batch", "sequence"])]),
    [12, tensor(output.name, FLOAT, output.dims)],
  );
  return message([1, 8], [7, graph], [8, message([1, ""], [2, 17])]);
}
