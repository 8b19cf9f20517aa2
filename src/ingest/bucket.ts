/** Files of a bucket of S3, or of a server that speaks its protocol. */
import { whyLeftOut } from "../support/plain-file.js";
import { LoadError, MAX_FILE_BYTES } from "../formats/document.js";
import { whyNoText } from "./targets.js";

/**
 * Lists a bucket; a file is fetched when its tag is new. Keys and region are found as all tools of
 * AWS find them.
 * @param source `BUCKET[/FOLDER]`
 */
export async function openBucket(source: string, env: NodeJS.ProcessEnv) {
  const { GetObjectCommand, paginateListObjectsV2, S3Client } = await import("@aws-sdk/client-s3");
  const [Bucket = "", ...folders] = source.split("/").filter(Boolean);
  const Prefix = folders.map((each) => `${each}/`).join("");
  const { AWS_ENDPOINT_URL_S3: endpoint, AWS_REGION: region = "us-east-1" } = env;
  const client = new S3Client(
    endpoint === undefined ? {} : { endpoint, forcePathStyle: true, region },
  );
  const fetched = async (Key: string, size: number): Promise<Uint8Array> => {
    if (size > MAX_FILE_BYTES) throw new LoadError("it is too large");
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
    return (await Body?.transformToByteArray()) ?? new Uint8Array();
  };
  return {
    load: async () => {
      const pages = paginateListObjectsV2({ client }, { Bucket, Prefix });
      const documents = [];
      for await (const { Contents = [] } of pages)
        for (const { Key = "", ETag = "", LastModified: lastModified, Size = 0 } of Contents) {
          const id = Key.slice(Prefix.length);
          if (id === "" || id.endsWith("/") || (whyLeftOut(id) ?? whyNoText(id))) continue;
          const bytes = (): Promise<Uint8Array> => fetched(Key, Size);
          documents.push({ id, pageContent: ETag, metadata: { lastModified }, bytes });
        }
      return documents;
    },
  };
}
