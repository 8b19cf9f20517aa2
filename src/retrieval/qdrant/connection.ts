import { z } from "zod";
import {
  HttpError,
  type HttpFailure,
  type JsonRequest,
  requestJson,
} from "../../support/json-client.js";
import { endpoint } from "../../support/web-address.js";
import { KnowledgeBaseError } from "../knowledge-base.js";

export interface QdrantConnectionOptions extends Pick<
  JsonRequest<unknown>,
  "apiKey" | "timeoutInMs" | "maxRetries" | "initialDelayInMs"
> {
  /** `http://localhost:6333`; the port defaults to 6333. */
  url: string;
  collection: string;
}

interface QdrantRequest<Result> extends Pick<JsonRequest<unknown>, "body" | "signal"> {
  method?: "GET" | "POST" | "PUT";
  /** Below `/collections/NAME`. */
  path?: string;
  /** Schema of the answer's `result`. */
  result: z.ZodType<Result>;
}

export interface QdrantConnection {
  readonly collection: string;
  readonly host: string;
  /** Rejects with `KnowledgeBaseError`, or with the signal's reason. */
  send<Result>(request: QdrantRequest<Result>): Promise<Result>;
}

export class MissingCollectionError extends KnowledgeBaseError {}

/** Results with vectors take a few MB as text. */
const MAX_BYTES = 64_000_000;

/** Prepares requests to one collection; sends nothing yet. */
export function connectToQdrant({
  url,
  apiKey,
  collection,
  timeoutInMs = 10_000,
  maxRetries = 3,
  initialDelayInMs = 300,
}: QdrantConnectionOptions): QdrantConnection {
  const address = addressOf(url, collection);
  const { host } = new URL(url);
  const send = async <Result>({
    path = "",
    result,
    ...rest
  }: QdrantRequest<Result>): Promise<Result> => {
    try {
      const answer = await requestJson({
        method: "POST",
        ...rest,
        url: address + path,
        headers: apiKey ? { "api-key": apiKey } : {},
        secrets: apiKey ? [apiKey] : [],
        schema: z.object({ result }),
        maxBytes: MAX_BYTES,
        timeoutInMs,
        maxRetries,
        initialDelayInMs,
      });
      return answer.result;
    } catch (cause) {
      if (!(cause instanceof HttpError)) throw cause;
      if (isMissing(cause))
        throw new MissingCollectionError(
          `Qdrant at ${host} has no collection "${collection}"`,
          "Check QDRANT_COLLECTION, or fill the collection with `npm run ingest -- PATH`.",
        );
      throw new KnowledgeBaseError(
        `Qdrant, collection "${collection}": ${cause.message}`,
        HINTS[cause.failure],
        { cause },
      );
    }
  };
  return { collection, host, send };
}

/** Adds Qdrant's port if there is none. An explicit `:443`, which `URL` drops, counts as one. */
function addressOf(url: string, collection: string): string {
  if (!URL.canParse(url) || !["http:", "https:"].includes(new URL(url).protocol))
    throw new KnowledgeBaseError(
      `QDRANT_URL is not the address of a server: ${url}`,
      "It should look like http://localhost:6333.",
    );
  const address = endpoint(url, `/collections/${encodeURIComponent(collection)}`);
  const host = url.split("/")[2]?.split("@").at(-1) ?? "";
  if (host.lastIndexOf(":") <= host.lastIndexOf("]")) address.port = "6333";
  return address.href;
}

function isMissing({ failure, message }: HttpError): boolean {
  return failure === "not_found" && message.toLowerCase().includes("collection");
}

const UNREACHABLE =
  "Check QDRANT_URL and that the server is running; QDRANT_TIMEOUT_SECONDS sets the time limit.";
const NOT_QDRANT = "Check QDRANT_URL: there may be no Qdrant at this address.";
const HINTS: Partial<Readonly<Record<HttpFailure, string>>> = {
  unauthorized: "Check QDRANT_API_KEY.",
  network: UNREACHABLE,
  timeout: UNREACHABLE,
  not_found: NOT_QDRANT,
  malformed: NOT_QDRANT,
};
