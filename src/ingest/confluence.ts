/** Pages of Confluence, read by LangChain's loader, which takes a failure for the end of a list. */
import { ConfluencePagesLoader } from "@langchain/community/document_loaders/web/confluence";
import { z } from "zod";
import { reasonOf } from "../support/errors.js";
import { isRecord } from "../support/json.js";
import { requestJson } from "../support/json-client.js";
import { LoadError } from "../formats/document.js";

/** Twenty-five pages, each with all of its text. */
const MAX_BYTES = 100_000_000;

/** The pages of a space: `https://HOST/wiki#SPACE`. */
export class ConfluenceSpace extends ConfluencePagesLoader {
  private failure: LoadError | undefined;

  constructor(
    source: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {
    const [baseUrl = "", spaceKey = ""] = source.split("#");
    super({ baseUrl, spaceKey });
  }

  protected override async fetchConfluenceData(page: string) {
    const { CONFLUENCE_TOKEN: apiKey, CONFLUENCE_USERNAME: username = "" } = this.env;
    const password = this.env["CONFLUENCE_ACCESS_TOKEN"] ?? "";
    const url = Object.assign(new URL(page), { username, password });
    const schema =
      z.custom<Awaited<ReturnType<ConfluencePagesLoader["fetchConfluenceData"]>>>(isRecord);
    return requestJson({ url, apiKey, schema, maxBytes: MAX_BYTES, maxRetries: 2 }).catch(
      (error: unknown) => {
        this.failure = new LoadError(reasonOf(error));
        return { size: 0, results: [] };
      },
    );
  }

  override async load() {
    const pages = await super.load();
    if (this.failure !== undefined) throw this.failure;
    return pages;
  }
}
