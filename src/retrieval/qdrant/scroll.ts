import type { Schemas } from "@qdrant/js-client-rest";
import type { QdrantConnection } from "./connection.js";

/** Payloads of all points that pass the filter, page by page, in the order of their ids. */
export async function* scrollPayloads(
  connection: QdrantConnection,
  filter: Schemas["Filter"],
  {
    pageSize,
    fields = true,
    signal,
  }: { pageSize: number; fields?: Schemas["WithPayloadInterface"]; signal?: AbortSignal },
): AsyncGenerator<Schemas["Record"]["payload"]> {
  let offset: Schemas["ExtendedPointId"] | undefined;
  do {
    const page = await connection.call(
      (api, init) =>
        api.scrollPoints(
          {
            collection_name: connection.collection,
            filter,
            limit: pageSize,
            with_payload: fields,
            with_vector: false,
            offset,
          },
          init,
        ),
      signal,
    );
    for (const { payload } of page.points) yield payload;
    offset = idOf(page.next_page_offset);
  } while (offset !== undefined);
}

function idOf(offset: unknown): Schemas["ExtendedPointId"] | undefined {
  return typeof offset === "string" || typeof offset === "number" ? offset : undefined;
}
