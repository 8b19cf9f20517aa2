/** Sources that `ingest` knows by name: loaders of `@langchain/community`, loaded on use. */
import { UserError } from "../support/errors.js";
import { requirePackages } from "../support/packages.js";
import type { DocumentLoader } from "./loaded-documents.js";

const COMMUNITY = "@langchain/community";

interface Connector {
  /** What follows the name and a colon. */
  usage: string;
  packages: readonly string[];
  /** Reads keys from the environment. */
  open: (source: string, env: NodeJS.ProcessEnv) => Promise<DocumentLoader>;
}

const CONNECTORS: Readonly<Record<string, Connector>> = {
  github: {
    usage: "github:OWNER/REPOSITORY[@BRANCH] (GITHUB_ACCESS_TOKEN, GITHUB_API_URL)",
    packages: [COMMUNITY, "ignore", "binary-extensions"],
    open: async (source, env) => {
      const [repository = "", branch = "main"] = source.split("@");
      const { GithubRepoLoader } = await import("@langchain/community/document_loaders/web/github");
      return new GithubRepoLoader(`https://github.com/${repository}`, {
        branch,
        apiUrl: env["GITHUB_API_URL"] ?? "https://api.github.com",
        // A file that cannot be read must not count as gone.
        unknown: "error",
      });
    },
  },
  confluence: {
    usage:
      "confluence:https://HOST/wiki#SPACE (CONFLUENCE_TOKEN, or CONFLUENCE_USERNAME and CONFLUENCE_ACCESS_TOKEN)",
    packages: [COMMUNITY, "html-to-text"],
    open: async (source, env) => {
      const [baseUrl = "", spaceKey = ""] = source.split("#");
      const { ConfluencePagesLoader } =
        await import("@langchain/community/document_loaders/web/confluence");
      return new ConfluencePagesLoader({
        ...{ baseUrl, spaceKey, personalAccessToken: env["CONFLUENCE_TOKEN"] },
        username: env["CONFLUENCE_USERNAME"],
        accessToken: env["CONFLUENCE_ACCESS_TOKEN"],
      });
    },
  },
};

/**
 * Parts the targets of the command line into paths and named sources.
 * @returns `loaders` by the targets that name them
 * @throws UserError when a package is missing
 */
export async function openConnectors(targets: readonly string[], env = process.env) {
  const loaders: Record<string, DocumentLoader> = {};
  const paths: string[] = [];
  for (const target of targets) {
    const at = target.indexOf(":");
    const name = at < 0 ? "" : target.slice(0, at);
    const connector = Object.hasOwn(CONNECTORS, name) ? CONNECTORS[name] : undefined;
    if (connector === undefined) {
      paths.push(target);
      continue;
    }
    const source = target.slice(at + 1);
    if (source === "") throw new UserError(`${target} names nothing`, connector.usage);
    requirePackages(name, connector.packages);
    loaders[target] = await connector.open(source, env);
  }
  return { paths, loaders };
}
