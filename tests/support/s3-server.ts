/** A bucket that speaks S3's protocol: lists in pages of two, hands out objects, and checks who signs. */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Bucket {
  /** Changed by the test between runs. */
  objects: Record<string, string>;
  /** Keys of the objects that were fetched, in order. */
  fetched: string[];
  /** For which requests were signed. */
  regions: Set<string>;
  address: string;
  close: () => void;
}

const PAGE = 2;
const DENIED =
  "<Error><Code>InvalidAccessKeyId</Code><Message>The key does not exist.</Message></Error>";

export async function startBucket(name: string, accessKey: string): Promise<Bucket> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://bucket");
    response.setHeader("content-type", "application/xml");
    if (request.headers.authorization?.includes(`Credential=${accessKey}/`) !== true) {
      response.writeHead(403).end(DENIED);
      return;
    }
    bucket.regions.add(request.headers.authorization.split("/")[2] ?? "");
    const key = decodeURIComponent(pathname.slice(name.length + 2));
    if (key !== "") {
      bucket.fetched.push(key);
      response.setHeader("content-type", "application/octet-stream");
      response.end(bucket.objects[key]);
      return;
    }
    const prefix = searchParams.get("prefix") ?? "";
    const keys = Object.keys(bucket.objects)
      .filter((each) => each.startsWith(prefix))
      .sort();
    const start = Number(searchParams.get("continuation-token") ?? 0);
    const listed = keys.slice(start, start + PAGE).map((each) => {
      const text = bucket.objects[each] ?? "";
      const tag = createHash("md5").update(text).digest("hex");
      return (
        `<Contents><Key>${each}</Key><LastModified>2026-03-01T00:00:00.000Z</LastModified>` +
        `<ETag>&quot;${tag}&quot;</ETag><Size>${text.length}</Size></Contents>`
      );
    });
    const isCut = start + PAGE < keys.length;
    const next = isCut ? `<NextContinuationToken>${start + PAGE}</NextContinuationToken>` : "";
    response.end(
      `<?xml version="1.0"?><ListBucketResult><Name>${name}</Name><Prefix>${prefix}</Prefix>` +
        `<IsTruncated>${isCut}</IsTruncated>${next}${listed.join("")}</ListBucketResult>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const bucket: Bucket = {
    objects: {},
    fetched: [],
    regions: new Set(),
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => void server.close(),
  };
  return bucket;
}
